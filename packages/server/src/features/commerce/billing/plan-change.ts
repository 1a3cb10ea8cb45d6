import type { BillingInterval, SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import type { ChangeTime, PlanPrice } from '../../../payments/provider.ts';

type Current = Pick<SubscriptionsTable, 'plan_code' | 'interval' | 'amount'>;

const perYear = (amount: number, interval: BillingInterval) => (interval === 'year' ? amount : amount * 12);

/**
 * When a change takes effect: an upgrade now, a downgrade when what is paid for has been used. Of one plan the longer
 * interval is the upgrade. Of two plans it is the one that costs more in the interval that is paid for now; where the other
 * is not sold in it (`comparable` is null), the one that costs more a year.
 */
export function changeTimeOf(current: Current, target: PlanPrice, comparable: number | null): ChangeTime {
  if (current.plan_code === target.planCode) {
    if (current.interval !== target.interval) return target.interval === 'year' ? 'now' : 'period_end';
    return target.amount >= current.amount ? 'now' : 'period_end';
  }
  const before = comparable === null ? perYear(current.amount, current.interval) : current.amount;
  const after = comparable ?? perYear(target.amount, target.interval);
  return after >= before ? 'now' : 'period_end';
}
