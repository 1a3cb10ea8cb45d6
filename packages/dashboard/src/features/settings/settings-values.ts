import type { Settings, UpdateSettings } from '../../api/settings.ts';

/** The settings as the form edits them: an empty text is `null`. */
export interface SettingsValues extends Record<string, unknown> {
  name: string;
  timezone: string;
  support_email: string;
  license_key_prefix: string;
  expiring_soon_days: number | string;
  notification_emails: string[];
  webhook_event_defaults: NonNullable<UpdateSettings['webhook_event_defaults']>;
  retention_days: { audit: number | string; usage: number | string; deliveries: number | string };
}

/** Returns the values with which the form starts. */
export function valuesOf(settings: Settings): SettingsValues {
  return {
    ...settings,
    support_email: settings.support_email ?? '',
    license_key_prefix: settings.license_key_prefix ?? '',
    webhook_event_defaults: settings.webhook_event_defaults as SettingsValues['webhook_event_defaults'],
  };
}

/** A number field without a number restores the default. */
function numberOf(value: number | string): number | null {
  return value === '' ? null : Number(value);
}

/** Returns the request that saves the values. */
export function requestOf(values: SettingsValues): UpdateSettings {
  const { audit, usage, deliveries } = values.retention_days;
  return {
    name: values.name.trim(),
    timezone: values.timezone,
    support_email: values.support_email.trim() || null,
    license_key_prefix: values.license_key_prefix.trim() || null,
    expiring_soon_days: numberOf(values.expiring_soon_days),
    notification_emails: values.notification_emails,
    webhook_event_defaults: values.webhook_event_defaults,
    retention_days: { audit: numberOf(audit), usage: numberOf(usage), deliveries: numberOf(deliveries) },
  };
}
