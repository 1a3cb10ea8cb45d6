import type { SettingsTable } from '../../../db/tables/tenant/administration.ts';
import type { Settings, UpdateSettings } from './schemas.ts';

/** The settings in the tenant's database: all but the name, which the platform database stores. */
export type StoredSettings = Omit<Settings, 'name'>;

/** The values of fields that were never set or were cleared with `null`. The migration inserts the same values. */
const defaults: StoredSettings = {
  timezone: 'UTC',
  support_email: null,
  license_key_prefix: null,
  expiring_soon_days: 14,
  notification_emails: [],
  webhook_event_defaults: ['*'],
  retention_days: { audit: 365, usage: 400, deliveries: 30, mails: 180, sale_messages: 90, checks: 30 },
  trials_per_day_max: 1000,
  trials_per_address_max: 20,
};

/** The names of the stored settings. */
export const settingsFields = Object.keys(defaults) as (keyof StoredSettings)[];

/** Converts a row to settings. */
export function fromRow(row: SettingsTable): StoredSettings {
  return {
    timezone: row.timezone,
    support_email: row.support_email,
    license_key_prefix: row.license_key_prefix,
    expiring_soon_days: row.expiring_soon_days,
    notification_emails: JSON.parse(row.notification_emails_json),
    webhook_event_defaults: JSON.parse(row.webhook_event_defaults_json),
    retention_days: {
      audit: row.retention_audit_days,
      usage: row.retention_usage_days,
      deliveries: row.retention_deliveries_days,
      mails: row.retention_mails_days,
      sale_messages: row.retention_sale_messages_days,
      checks: row.retention_checks_days,
    },
    trials_per_day_max: row.trials_per_day_max,
    trials_per_address_max: row.trials_per_address_max,
  };
}

/** Converts settings to a row. */
export function toRow(settings: StoredSettings): SettingsTable {
  const { notification_emails, webhook_event_defaults, retention_days, ...rest } = settings;
  return {
    id: 1,
    ...rest,
    notification_emails_json: JSON.stringify(notification_emails),
    webhook_event_defaults_json: JSON.stringify(webhook_event_defaults),
    retention_audit_days: retention_days.audit,
    retention_usage_days: retention_days.usage,
    retention_deliveries_days: retention_days.deliveries,
    retention_mails_days: retention_days.mails,
    retention_sale_messages_days: retention_days.sale_messages,
    retention_checks_days: retention_days.checks,
  };
}

/** An absent field keeps its value; `null` restores the default. */
function chosen<Value>(input: Value | null | undefined, current: Value, initial: Value): Value {
  return input === undefined ? current : (input ?? initial);
}

/**
 * Returns the settings with the fields that `input` contains applied; absent fields of `retention_days` are kept too.
 */
export function applySettingsInput(before: StoredSettings, input: UpdateSettings): StoredSettings {
  const pick = <Field extends Exclude<keyof StoredSettings, 'retention_days'>>(field: Field) =>
    chosen(input[field] as StoredSettings[Field] | null | undefined, before[field], defaults[field]);
  const retention = (kind: keyof StoredSettings['retention_days']) => {
    const days = input.retention_days === null ? null : input.retention_days?.[kind];
    return chosen(days, before.retention_days[kind], defaults.retention_days[kind]);
  };
  return {
    timezone: pick('timezone'),
    support_email: pick('support_email'),
    license_key_prefix: pick('license_key_prefix'),
    expiring_soon_days: pick('expiring_soon_days'),
    notification_emails: pick('notification_emails'),
    webhook_event_defaults: pick('webhook_event_defaults'),
    retention_days: {
      audit: retention('audit'),
      usage: retention('usage'),
      deliveries: retention('deliveries'),
      mails: retention('mails'),
      sale_messages: retention('sale_messages'),
      checks: retention('checks'),
    },
    trials_per_day_max: pick('trials_per_day_max'),
    trials_per_address_max: pick('trials_per_address_max'),
  };
}
