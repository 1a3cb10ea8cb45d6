import { type Static, Type } from 'typebox';
import { Nullable, PageQuery, strictObject, TimestampIn, TimestampOut, Uuid } from '../../../http/schema.ts';
import { EntitlementCode } from '../entitlements/grant-schemas.ts';

const usageRefusals = [
  'USAGE.OUT_OF_WINDOW',
  'USAGE.TOTAL_TOO_LARGE',
  'ENTITLEMENT.NOT_GRANTED',
  'ENTITLEMENT.EXPIRED',
  'ENTITLEMENT.NOT_METERED',
  'ENTITLEMENT.LIMIT_REACHED',
  'LICENSE.REVOKED',
  'LICENSE.SUSPENDED',
  'LICENSE.NOT_STARTED',
  'LICENSE.EXPIRED',
] as const;

/** Why an event was not counted. */
export type UsageRefusal = (typeof usageRefusals)[number];

/** The largest quantity of one event. */
const quantityMax = 1_000_000_000;

const UsageEvent = strictObject({
  entitlement: EntitlementCode,
  quantity: Type.Integer({ minimum: 1, maximum: quantityMax }),
  idempotency_key: Type.Optional(
    Type.String({
      pattern: '^[!-~]{1,255}$',
      description: 'Of several events of a license with the same key, only the first accepted one is counted.',
    }),
  ),
  occurred_at: Type.Optional(TimestampIn),
});

export const ReportUsage = strictObject({ events: Type.Array(UsageEvent, { minItems: 1, maxItems: 1000 }) });
export type ReportUsage = Static<typeof ReportUsage>;

const UsageCounter = Type.Object({
  code: Type.String(),
  usage: Type.Integer(),
  limit: Nullable(Type.Integer()),
  remaining: Nullable(Type.Integer({ description: 'Null without a limit.' })),
  resets_at: Nullable(TimestampOut),
});
export type UsageCounter = Static<typeof UsageCounter>;

export const UsageReport = Type.Object({
  results: Type.Array(
    Type.Object({
      index: Type.Integer({ description: 'The index of the event in the request, from 0.' }),
      status: Type.String({ description: '`accepted`, `duplicate` or `refused`.' }),
      reason: Nullable(
        Type.String({ description: `For a refused event one of \`${usageRefusals.join('`, `')}\`; otherwise null.` }),
      ),
    }),
  ),
  counters: Type.Array(UsageCounter, {
    description: 'The counters of the metered entitlements that the events name, in the current periods.',
  }),
});
export type UsageReport = Static<typeof UsageReport>;

const BucketInterval = Type.Union(
  [Type.Literal('hour'), Type.Literal('day'), Type.Literal('week'), Type.Literal('month'), Type.Literal('year')],
  { default: 'day', description: "Buckets begin in the tenant's timezone; weeks on Monday." },
);

export const UsageQuery = PageQuery({
  license_id: Type.Optional(Uuid),
  entitlement: Type.Optional(EntitlementCode),
  from: Type.Optional(TimestampIn),
  to: Type.Optional(TimestampIn),
  interval: Type.Optional(BucketInterval),
});
export type UsageQuery = Static<typeof UsageQuery>;
export type BucketInterval = Static<typeof BucketInterval>;

export const UsageBucket = Type.Object({
  bucket_start: TimestampOut,
  license_id: Uuid,
  entitlement: Type.String(),
  quantity: Type.Integer(),
});
export type UsageBucket = Static<typeof UsageBucket>;

/** The `data` of the event `entitlement.limit_reached`. */
export const LimitReached = Type.Object(
  {
    license_id: Uuid,
    entitlement: Type.String({ description: 'The code of the entitlement.' }),
    limit: Type.Integer(),
    usage: Type.Integer({ description: 'The quantity used in the period.' }),
    resets_at: Type.Union([TimestampOut, Type.Null()], {
      description: 'The end of the period; null when usage is never reset.',
    }),
  },
  { title: 'UsageLimitReached' },
);
export type LimitReached = Static<typeof LimitReached>;
