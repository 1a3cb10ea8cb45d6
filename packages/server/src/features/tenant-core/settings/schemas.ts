import { type Static, Type } from 'typebox';
import { described, Email, Nullable, PublicName, strictObject } from '../../../http/schema.ts';
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

const text = {
  name: 'The name of the tenant.',
  timezone: 'The time zone of periods and buckets, by its name in the IANA time zone database.',
  support_email: "The address that the tenant's customers write to.",
  license_key_prefix: 'The prefix of generated license keys if the policy has no `key_prefix`; null: no prefix.',
  expiring_soon_days: 'The number of days before its expiry from which a license counts as expiring.',
  notification_emails: 'The recipients of notification mails. An empty list means the owners.',
  webhook_event_defaults: 'The subscription of a new webhook endpoint that names no events.',
  audit: 'The retention of audit records and unread notifications in days. Read notifications: 90 days.',
  usage: 'The retention of usage in days.',
  deliveries: 'The retention of events and webhook deliveries in days.',
  mails: 'The retention of the list of mails to license holders in days.',
  sale_messages: 'The retention of the messages of shops and of comparisons in days.',
  checks: 'The retention of the checks of licenses in days: what devices asked, and what they were told.',
  trials_per_day_max: 'The maximum number of trials without a key that start on a day (UTC).',
  trials_per_address_max:
    'The maximum number of trials without a key that one client address may start within 24 hours.',
};

const Timezone = Type.Refine(
  Type.String({ minLength: 1, maxLength: 64 }),
  isTimezone,
  () => 'Enter a time zone such as Europe/Berlin.',
);

function RetentionDays(minimum: number, maximum: number, description: string) {
  return Type.Optional(Nullable(Type.Integer({ minimum, maximum }), { description }));
}

function TrialLimit(description: string) {
  return Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 1_000_000 }), { description }));
}

// Usage may be reported up to 35 days late and must not be deleted before.
const RetentionDaysInput = strictObject(
  {
    audit: RetentionDays(30, 3650, `${text.audit} \`null\` sets 365.`),
    usage: RetentionDays(36, 3650, `${text.usage} \`null\` sets 400.`),
    deliveries: RetentionDays(1, 365, `${text.deliveries} \`null\` sets 30.`),
    mails: RetentionDays(30, 3650, `${text.mails} \`null\` sets 180.`),
    sale_messages: RetentionDays(7, 3650, `${text.sale_messages} \`null\` sets 90.`),
    checks: RetentionDays(1, 365, `${text.checks} \`null\` sets 30.`),
  },
  { title: 'RetentionDaysInput', description: 'How long data is kept, in days.' },
);

const exampleSettings = {
  name: 'Acme',
  timezone: 'Europe/Berlin',
  support_email: 'support@example.com',
  license_key_prefix: 'ACME',
  expiring_soon_days: 14,
  notification_emails: ['ada@example.com'],
  webhook_event_defaults: ['*'],
  retention_days: { audit: 365, usage: 400, deliveries: 30, mails: 180, sale_messages: 90, checks: 30 },
  trials_per_day_max: 1000,
  trials_per_address_max: 20,
};

export const Settings = Type.Object(
  {
    name: Type.String({ description: text.name }),
    timezone: Type.String({ description: text.timezone }),
    support_email: Nullable(Type.String(), { description: text.support_email }),
    license_key_prefix: Nullable(Type.String(), { description: text.license_key_prefix }),
    expiring_soon_days: Type.Integer({ description: text.expiring_soon_days }),
    notification_emails: Type.Array(Type.String(), { description: text.notification_emails }),
    webhook_event_defaults: Type.Array(Type.String(), { description: text.webhook_event_defaults }),
    retention_days: Type.Object(
      {
        audit: Type.Integer({ description: text.audit }),
        usage: Type.Integer({ description: text.usage }),
        deliveries: Type.Integer({ description: text.deliveries }),
        mails: Type.Integer({ description: text.mails }),
        sale_messages: Type.Integer({ description: text.sale_messages }),
        checks: Type.Integer({ description: text.checks }),
      },
      { title: 'RetentionDays', description: 'How long data is kept, in days.' },
    ),
    trials_per_day_max: Type.Integer({ description: text.trials_per_day_max }),
    trials_per_address_max: Type.Integer({ description: text.trials_per_address_max }),
  },
  { title: 'Settings', description: 'The settings of a tenant.', examples: [exampleSettings] },
);
export type Settings = Static<typeof Settings>;

export const UpdateSettings = strictObject(
  {
    name: Type.Optional(described(PublicName, text.name)),
    timezone: Type.Optional(
      Nullable(Timezone, { description: `${text.timezone} \`null\` sets \`UTC\`.`, examples: ['Europe/Berlin'] }),
    ),
    support_email: Type.Optional(Nullable(Email, { description: text.support_email })),
    license_key_prefix: Type.Optional(
      Nullable(Type.String({ pattern: '^[A-Za-z0-9]([A-Za-z0-9_-]{0,18}[A-Za-z0-9])?$' }), {
        description: text.license_key_prefix,
        examples: ['ACME'],
      }),
    ),
    expiring_soon_days: Type.Optional(
      Nullable(Type.Integer({ minimum: 1, maximum: 365 }), {
        description: `${text.expiring_soon_days} \`null\` sets 14.`,
      }),
    ),
    notification_emails: Type.Optional(
      Nullable(Type.Array(Email, { maxItems: 20, uniqueItems: true }), { description: text.notification_emails }),
    ),
    webhook_event_defaults: Type.Optional(
      Nullable(EventSubscription(text.webhook_event_defaults), {
        description: `${text.webhook_event_defaults} \`null\` sets \`["*"]\`, which means all events.`,
      }),
    ),
    retention_days: Type.Optional(
      Nullable(RetentionDaysInput, { description: 'How long data is kept, in days; `null` sets all defaults.' }),
    ),
    trials_per_day_max: TrialLimit(`${text.trials_per_day_max} \`null\` sets 1000.`),
    trials_per_address_max: TrialLimit(`${text.trials_per_address_max} \`null\` sets 20.`),
  },
  {
    title: 'UpdateSettings',
    description: 'The settings to change. A field that is left out keeps its value.',
    examples: [{ timezone: 'Europe/Berlin', retention_days: { audit: 730 } }],
  },
);
export type UpdateSettings = Static<typeof UpdateSettings>;
