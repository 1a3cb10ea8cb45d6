import { type Static, Type } from 'typebox';
import { Email, Name, Nullable, strictObject } from '../../../http/schema.ts';
import { EventSubscription } from '../events/schemas.ts';

/** Accepts only zone names: `Intl` also accepts offsets such as `+01:00`, which have no daylight saving time. */
function isTimezone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const Timezone = Type.Refine(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'A name of the IANA time zone database. `null` sets `UTC`.',
  }),
  isTimezone,
  () => 'must be a time zone such as Europe/Berlin (IANA time zone database)',
);

function RetentionDays(minimum: number, maximum: number, description: string) {
  return Type.Optional(Nullable(Type.Integer({ minimum, maximum, description })));
}

const fields = {
  name: Name,
  timezone: Timezone,
  support_email: Email,
  license_key_prefix: Type.String({
    pattern: '^[A-Za-z0-9]([A-Za-z0-9_-]{0,18}[A-Za-z0-9])?$',
    description: 'The prefix of generated license keys if the policy has no `key_prefix`.',
  }),
  expiring_soon_days: Type.Integer({
    minimum: 1,
    maximum: 365,
    description: 'The number of days before its expiry from which a license counts as expiring. `null` sets 14.',
  }),
  notification_emails: Type.Array(Email, {
    maxItems: 20,
    uniqueItems: true,
    description: 'The recipients of notification mails. An empty list means the owners.',
  }),
  webhook_event_defaults: EventSubscription(
    'The subscription of a new webhook endpoint that names no events. `null` sets `["*"]`, which means all events.',
  ),
  // Usage may be reported up to 35 days late and must not be deleted before.
  retention_days: strictObject({
    audit: RetentionDays(
      30,
      3650,
      'The retention of audit records and unread notifications in days. `null` sets 365. Read notifications: 90 days.',
    ),
    usage: RetentionDays(36, 3650, 'The retention of usage in days. `null` sets 400.'),
    deliveries: RetentionDays(1, 365, 'The retention of events and webhook deliveries in days. `null` sets 30.'),
  }),
};

export const Settings = Type.Object({
  name: Type.String(),
  timezone: Type.String(),
  support_email: Nullable(Type.String()),
  license_key_prefix: Nullable(Type.String()),
  expiring_soon_days: Type.Integer(),
  notification_emails: Type.Array(Type.String()),
  webhook_event_defaults: Type.Array(Type.String()),
  retention_days: Type.Object({ audit: Type.Integer(), usage: Type.Integer(), deliveries: Type.Integer() }),
});
export type Settings = Static<typeof Settings>;

export const UpdateSettings = strictObject({
  name: Type.Optional(fields.name),
  timezone: Type.Optional(Nullable(fields.timezone)),
  support_email: Type.Optional(Nullable(fields.support_email)),
  license_key_prefix: Type.Optional(Nullable(fields.license_key_prefix)),
  expiring_soon_days: Type.Optional(Nullable(fields.expiring_soon_days)),
  notification_emails: Type.Optional(Nullable(fields.notification_emails)),
  webhook_event_defaults: Type.Optional(Nullable(fields.webhook_event_defaults)),
  retention_days: Type.Optional(Nullable(fields.retention_days)),
});
export type UpdateSettings = Static<typeof UpdateSettings>;
