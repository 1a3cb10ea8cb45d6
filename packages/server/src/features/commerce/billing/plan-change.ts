import type { BillingInterval, SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import type { PlanPrice } from '../../../payments/provider.ts';

type Current = Pick<SubscriptionsTable, 'plan_code' | 'interval' | 'amount'>;

/** `amount` is in minor units. */
const perYear = (amount: number, interval: BillingInterval) => (interval === 'year' ? amount : amount * 12);

/**
 * Returns when a change of plan takes effect: an upgrade now, a downgrade at the end of the paid period. Within one
 * plan the longer interval is the upgrade. Between two plans the upgrade is the plan that costs more in the current
 * interval. If the target is not sold in the current interval, `comparable` is null, and the plan that costs more per
 * year is the upgrade. `comparable` is the target's price in the current interval and currency, in minor units.
 */
export function changeTimeOf(current: Current, target: PlanPrice, comparable: number | null): 'now' | 'period_end' {
  if (current.plan_code === target.planCode) {
    if (current.interval !== target.interval) return target.interval === 'year' ? 'now' : 'period_end';
    return target.amount >= current.amount ? 'now' : 'period_end';
  }
  const before = comparable === null ? perYear(current.amount, current.interval) : current.amount;
  const after = comparable ?? perYear(target.amount, target.interval);
  return after >= before ? 'now' : 'period_end';
}
