import { type Static, Type } from 'typebox';
import { described, FilterText, Nullable, PageQuery, TimestampOut, Uuid } from '../../../http/schema.ts';
import { Amount, CurrencyOut, Interval } from '../plans/schemas.ts';

export const SubscriptionStatus = Type.Union(
  [
    Type.Literal('incomplete'),
    Type.Literal('incomplete_expired'),
    Type.Literal('trialing'),
    Type.Literal('active'),
    Type.Literal('past_due'),
    Type.Literal('unpaid'),
    Type.Literal('paused'),
    Type.Literal('canceled'),
  ],
  {
    title: 'SubscriptionStatus',
    description: 'A tenant has access while it is `trialing`, `active`, or `past_due` within the grace period.',
  },
);

const PendingChange = Type.Object(
  {
    plan_code: Type.String(),
    interval: Interval,
    amount: Amount,
    at: described(TimestampOut, 'When it takes effect.'),
  },
  { title: 'PendingPlanChange', description: 'The next change of plan; null if none is scheduled.' },
);

export const CouponDuration = Type.Union([Type.Literal('once'), Type.Literal('repeating'), Type.Literal('forever')], {
  title: 'CouponDuration',
  description: 'Which invoices it lowers: `once` the next one, `repeating` those of some months, `forever` all.',
});

const Discount = Type.Object(
  {
    coupon: Type.String({ description: 'The code of the redeemed coupon.' }),
    percent_off: Nullable(Type.Number(), { description: 'In percent; null for a discount of an amount.' }),
    amount_off: Nullable(Amount, { description: 'Per invoice, in minor units; null for a percentage.' }),
    duration: CouponDuration,
    ends_at: Nullable(TimestampOut, { description: 'When a `repeating` discount ends; null for the others.' }),
  },
  { title: 'Discount', description: 'What lowers the next invoices; null if nothing does.' },
);

const exampleSubscription = {
  id: '019a9b50-4d00-7f43-8054-2b65c7d8e9f0',
  status: 'active',
  plan_code: 'team',
  interval: 'month',
  currency: 'usd',
  amount: 4900,
  current_period_starts_at: '2026-11-20T17:42:00.000000Z',
  current_period_ends_at: '2026-12-20T17:42:00.000000Z',
  trial_ends_at: null,
  has_payment_method: true,
  discount: { coupon: 'WELCOME20', percent_off: 20, amount_off: null, duration: 'forever', ends_at: null },
  cancel_at_period_end: false,
  canceled_at: null,
  pending_change: null,
  past_due_since: null,
  grace_ends_at: null,
  created_at: '2026-11-20T17:42:00.123456Z',
  updated_at: '2026-11-20T17:42:00.123456Z',
};

/** The example of an admin's view of a subscription in the OpenAPI document. */
const exampleAdminSubscription = {
  ...exampleSubscription,
  tenant_id: '019a9b1b-3d00-7b5c-8e6f-1a2b3c4d5e6f',
  tenant_name: 'Acme',
  provider: 'stripe',
  provider_subscription_id: 'sub_1Qabc23DefGhiJkl',
  synced_at: '2026-11-20T17:42:01.000000Z',
};

/** The view of a subscription for the owners of its tenant. */
export const SubscriptionView = Type.Object(
  {
    id: Uuid,
    status: SubscriptionStatus,
    plan_code: Type.String({ description: 'The code of the plan.' }),
    interval: Interval,
    currency: CurrencyOut,
    amount: described(Amount, "The price per interval, in the currency's minor unit."),
    current_period_starts_at: described(TimestampOut, 'The start of the paid period.'),
    current_period_ends_at: described(TimestampOut, 'The end of the paid period.'),
    trial_ends_at: Nullable(TimestampOut, { description: 'The end of the trial; null without a trial.' }),
    has_payment_method: Type.Boolean({
      description: 'Whether the next invoice can be collected. A trial without a payment method ends as `canceled`.',
    }),
    discount: Nullable(Discount),
    cancel_at_period_end: Type.Boolean({ description: 'Whether the subscription ends with the current period.' }),
    canceled_at: Nullable(TimestampOut, { description: 'When it was canceled.' }),
    pending_change: Nullable(PendingChange),
    past_due_since: Nullable(TimestampOut, { description: 'When a payment became overdue; null otherwise.' }),
    grace_ends_at: Nullable(TimestampOut, {
      description: 'The tenant is suspended at this time unless it pays; null otherwise.',
    }),
    created_at: TimestampOut,
    updated_at: TimestampOut,
  },
  { title: 'Subscription', description: 'The subscription of a tenant to a plan.', examples: [exampleSubscription] },
);
export type SubscriptionView = Static<typeof SubscriptionView>;

/** The view of a subscription for admins. */
export const AdminSubscription = Type.Object(
  {
    ...SubscriptionView.properties,
    tenant_id: Uuid,
    tenant_name: Type.String(),
    provider: Type.String({ description: 'The payment provider: `stripe` or `sandbox`.' }),
    provider_subscription_id: Type.String({ description: 'The id at the payment provider.' }),
    synced_at: Nullable(TimestampOut, { description: 'When it was last read from the payment provider.' }),
  },
  {
    title: 'AdminSubscription',
    description: 'A subscription as admins see it.',
    examples: [exampleAdminSubscription],
  },
);
export type AdminSubscription = Static<typeof AdminSubscription>;

export const SubscriptionsQuery = PageQuery({
  tenant_id: Type.Optional(described(Uuid, 'Return only subscriptions of this tenant.')),
  status: Type.Optional(described(SubscriptionStatus, 'Return only subscriptions with this status.')),
  plan_code: Type.Optional(FilterText(64, 'The code of a plan.')),
});
export type SubscriptionsQuery = Static<typeof SubscriptionsQuery>;
