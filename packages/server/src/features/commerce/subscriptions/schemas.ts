import { type Static, Type } from 'typebox';
import { FilterText, Nullable, PageQuery, TimestampOut, Uuid } from '../../../http/schema.ts';
import { Interval } from '../plans/schemas.ts';

export const SubscriptionStatus = Type.Union([
  Type.Literal('incomplete'),
  Type.Literal('incomplete_expired'),
  Type.Literal('trialing'),
  Type.Literal('active'),
  Type.Literal('past_due'),
  Type.Literal('unpaid'),
  Type.Literal('paused'),
  Type.Literal('canceled'),
]);

const Amount = Type.Integer({ description: "The amount in the currency's minor unit." });

/** The view of a subscription for the owners of its tenant. */
export const SubscriptionView = Type.Object({
  id: Uuid,
  status: SubscriptionStatus,
  plan_code: Type.String(),
  interval: Interval,
  currency: Type.String(),
  amount: Amount,
  current_period_starts_at: TimestampOut,
  current_period_ends_at: TimestampOut,
  trial_ends_at: Nullable(TimestampOut),
  cancel_at_period_end: Type.Boolean(),
  canceled_at: Nullable(TimestampOut),
  pending_change: Nullable(
    Type.Object({ plan_code: Type.String(), interval: Interval, amount: Amount, at: TimestampOut }),
  ),
  past_due_since: Nullable(TimestampOut),
  grace_ends_at: Nullable(TimestampOut),
  created_at: TimestampOut,
  updated_at: TimestampOut,
});
export type SubscriptionView = Static<typeof SubscriptionView>;

/** The view of a subscription for admins. */
export const AdminSubscription = Type.Object({
  ...SubscriptionView.properties,
  tenant_id: Uuid,
  provider: Type.String(),
  provider_subscription_id: Type.String(),
  synced_at: Nullable(TimestampOut),
});
export type AdminSubscription = Static<typeof AdminSubscription>;

export const SubscriptionsQuery = PageQuery({
  tenant_id: Type.Optional(Uuid),
  status: Type.Optional(SubscriptionStatus),
  plan_code: Type.Optional(FilterText(64, 'The code of a plan.')),
});
export type SubscriptionsQuery = Static<typeof SubscriptionsQuery>;
