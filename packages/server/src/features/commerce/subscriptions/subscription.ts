import { sql } from 'kysely';
import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import type { AdminSubscription, SubscriptionView } from './schemas.ts';

/**
 * The sum of what subscriptions charge per interval, in minor units: the price less a discount that lasts. A discount
 * of one invoice does not recur, so it does not count; one that has ended is removed by the sync. A percentage is
 * rounded per subscription, half a unit up, like on its invoices. All columns are in the index `subscriptions_revenue`.
 */
export const sumOfRecurringAmounts = sql<number>`cast(sum(amount - case
  when discount_duration is null or discount_duration = 'once' then 0
  when discount_basis_points is not null then (amount * discount_basis_points + 5000) / 10000
  when discount_amount > amount then amount
  else coalesce(discount_amount, 0) end) as bigint)`;

/** A subscription with the name of its tenant. */
export interface NamedSubscription extends SubscriptionsTable {
  readonly tenant_name: string;
}

function pendingChangeOf(row: SubscriptionsTable): SubscriptionView['pending_change'] {
  const { pending_plan_code: plan_code, pending_interval: interval, pending_amount: amount, pending_at: at } = row;
  if (plan_code === null || interval === null || amount === null || at === null) return null;
  return { plan_code, interval, amount, at };
}

function discountOf(row: SubscriptionsTable): SubscriptionView['discount'] {
  const { coupon_code: coupon, discount_duration: duration, discount_basis_points: basisPoints } = row;
  if (coupon === null || duration === null) return null;
  const percent_off = basisPoints === null ? null : basisPoints / 100;
  return { coupon, percent_off, amount_off: row.discount_amount, duration, ends_at: row.discount_ends_at };
}

/** Returns the view of a subscription for the owners of its tenant. */
export function presentSubscription(row: SubscriptionsTable): SubscriptionView {
  const { id, status, plan_code, interval, currency, amount, canceled_at, trial_ends_at } = row;
  const { current_period_starts_at, current_period_ends_at, past_due_since, grace_ends_at } = row;
  return {
    id,
    status,
    plan_code,
    interval,
    currency,
    amount,
    current_period_starts_at,
    current_period_ends_at,
    trial_ends_at,
    has_payment_method: row.has_payment_method === 1,
    discount: discountOf(row),
    cancel_at_period_end: row.cancel_at_period_end === 1,
    canceled_at,
    pending_change: pendingChangeOf(row),
    past_due_since,
    grace_ends_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** Returns the view of a subscription for admins. */
export function presentAdminSubscription(row: NamedSubscription): AdminSubscription {
  const { tenant_id, tenant_name, provider, provider_subscription_id, synced_at } = row;
  return { ...presentSubscription(row), tenant_id, tenant_name, provider, provider_subscription_id, synced_at };
}
