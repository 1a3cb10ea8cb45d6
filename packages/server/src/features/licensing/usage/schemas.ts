import { type Static, Type } from 'typebox';
import { described, Nullable, PageQuery, strictObject, TimestampIn, TimestampOut, Uuid } from '../../../http/schema.ts';
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

const UsageEvent = strictObject(
  {
    entitlement: described(EntitlementCode, 'The code of a metered entitlement.'),
    quantity: Type.Integer({ minimum: 1, maximum: quantityMax, description: 'The quantity that was used.' }),
    idempotency_key: Type.Optional(
      Type.String({
        pattern: '^[!-~]{1,255}$',
        description: 'Of several events of a license with the same key, only the first accepted one is counted.',
        examples: ['render-20261121-0007'],
      }),
    ),
    occurred_at: Type.Optional(
      described(TimestampIn, 'From 35 days ago to 5 minutes ahead. Default: the present time.'),
    ),
  },
  {
    title: 'UsageEvent',
    description: 'One use of a metered entitlement.',
    examples: [{ entitlement: 'renders', quantity: 3, idempotency_key: 'render-20261121-0007' }],
  },
);

export const ReportUsage = strictObject(
  {
    events: Type.Array(UsageEvent, {
      minItems: 1,
      maxItems: 1000,
      description: 'Each event is counted or refused by itself.',
    }),
  },
  {
    title: 'ReportUsage',
    description: 'Events that consume metered entitlements.',
    examples: [{ events: [{ entitlement: 'renders', quantity: 3, idempotency_key: 'render-20261121-0007' }] }],
  },
);
export type ReportUsage = Static<typeof ReportUsage>;

const UsageCounter = Type.Object(
  {
    code: Type.String({ description: 'The code of the entitlement.' }),
    usage: Type.Integer({ description: 'The quantity used in the current period.' }),
    limit: Nullable(Type.Integer(), { description: 'The quantity per period; null: unlimited.' }),
    remaining: Nullable(Type.Integer(), { description: 'The quantity left in the current period; null: unlimited.' }),
    resets_at: Nullable(TimestampOut, {
      description: 'The end of the current period; null: the counter never resets.',
    }),
  },
  { title: 'UsageCounter', description: 'A metered entitlement of a license: its use and its limit.' },
);
export type UsageCounter = Static<typeof UsageCounter>;

const UsageResult = Type.Object(
  {
    index: Type.Integer({ description: 'The index of the event in the request, from 0.' }),
    status: Type.String({ description: '`accepted`, `duplicate` or `refused`.' }),
    reason: Nullable(Type.String(), {
      description: `For a refused event one of \`${usageRefusals.join('`, `')}\`; otherwise null.`,
    }),
  },
  { title: 'UsageResult', description: 'What became of one event.' },
);

export const UsageReport = Type.Object(
  {
    results: Type.Array(UsageResult, { description: 'One result per event.' }),
    counters: Type.Array(UsageCounter, {
      description: 'The counters of the metered entitlements that the events name, in the current periods.',
    }),
  },
  {
    title: 'UsageReport',
    description: 'What became of each event, and the counters after them.',
    examples: [
      {
        results: [{ index: 0, status: 'accepted', reason: null }],
        counters: [
          { code: 'renders', usage: 253, limit: 1000, remaining: 747, resets_at: '2026-12-01T00:00:00.000000Z' },
        ],
      },
    ],
  },
);
export type UsageReport = Static<typeof UsageReport>;

const BucketInterval = Type.Union(
  [Type.Literal('hour'), Type.Literal('day'), Type.Literal('week'), Type.Literal('month'), Type.Literal('year')],
  {
    title: 'UsageInterval',
    default: 'day',
    description: "The length of a bucket. Buckets begin in the tenant's timezone; weeks on Monday.",
  },
);

export const UsageQuery = PageQuery({
  license_id: Type.Optional(described(Uuid, 'Return only the usage of this license.')),
  entitlement: Type.Optional(described(EntitlementCode, 'Return only the usage of this entitlement.')),
  from: Type.Optional(described(TimestampIn, 'Return only buckets that begin at this time or later.')),
  to: Type.Optional(described(TimestampIn, 'Return only buckets that begin before this time.')),
  interval: Type.Optional(BucketInterval),
});
export type UsageQuery = Static<typeof UsageQuery>;
export type BucketInterval = Static<typeof BucketInterval>;

export const UsageBucket = Type.Object(
  {
    bucket_start: described(TimestampOut, 'The start of the bucket.'),
    license_id: Uuid,
    license_name: Type.String({
      description: 'The holder of the license and the end of its key, also after its deletion.',
    }),
    entitlement: Type.String({ description: 'The code of the entitlement.' }),
    quantity: Type.Integer({ description: 'The quantity used in the bucket.' }),
  },
  {
    title: 'UsageBucket',
    description: 'The usage of one entitlement by one license in one interval.',
    examples: [
      {
        bucket_start: '2026-11-21T00:00:00.000000Z',
        license_id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f708',
        license_name: 'Grace Hopper · …KMPJT',
        entitlement: 'renders',
        quantity: 253,
      },
    ],
  },
);
export type UsageBucket = Static<typeof UsageBucket>;

export const UsageSeriesQuery = strictObject({
  license_id: Type.Optional(described(Uuid, 'Sum only the usage of this license.')),
  entitlement: Type.Optional(described(EntitlementCode, 'Sum only the usage of this entitlement.')),
  from: Type.Optional(described(TimestampIn, 'The first bucket contains this time. Default: 30 buckets before `to`.')),
  to: Type.Optional(described(TimestampIn, 'The last bucket begins before this time. Default: now.')),
  interval: Type.Optional(BucketInterval),
});
export type UsageSeriesQuery = Static<typeof UsageSeriesQuery>;

const UsageSum = Type.Object(
  { code: Type.String({ description: 'The code of the entitlement.' }), quantity: Type.Integer() },
  { title: 'UsageSum', description: 'The usage of one entitlement by all licenses.' },
);

export const UsagePoint = Type.Object(
  {
    bucket_start: described(TimestampOut, 'The start of the bucket.'),
    entitlements: Type.Array(UsageSum, { description: 'One sum per entitlement that was used in the bucket.' }),
  },
  {
    title: 'UsagePoint',
    description: 'The usage in one interval.',
    examples: [{ bucket_start: '2026-11-21T00:00:00.000000Z', entitlements: [{ code: 'renders', quantity: 5120 }] }],
  },
);
export type UsagePoint = Static<typeof UsagePoint>;

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
  { title: 'UsageLimitReached', description: 'The limit that a license has used up.' },
);
export type LimitReached = Static<typeof LimitReached>;
