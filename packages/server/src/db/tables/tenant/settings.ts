/** One row (`id` = 1): the tenant's settings. The tenant's name is in the platform database. */
export interface SettingsTable {
  id: number;
  /** A name of the IANA time zone database. */
  timezone: string;
  support_email: string | null;
  license_key_prefix: string | null;
  expiring_soon_days: number;
  notification_emails_json: string;
  webhook_event_defaults_json: string;
  retention_audit_days: number;
  retention_usage_days: number;
  retention_deliveries_days: number;
}
