import type { RevenueDaysTable } from '../../../db/tables/platform/operations.ts';
import { findPlanByCode } from '../../../features/commerce/plans/service.ts';
import { dayAt } from '../../../features/operations/activity/counters.ts';
import { recordDemoRows } from '../../../features/operations/demo-data/queries.ts';
import { createPastRevenue } from '../../../features/operations/metrics/service.ts';
import type { Services } from '../../../services.ts';
import { loyaltyCoupon } from './coupons.ts';
import { dayMs, type Present } from './past.ts';
import type { PastSubscription } from './subscriptions.ts';
import { historyDays } from './usage.ts';

/** Stores the monthly recurring revenue of the days before now, as the subscriptions of each day make it. */
export async function writeRevenue(
  { platform, sandbox }: Services,
  present: Present,
  subscriptions: readonly PastSubscription[],
): Promise<void> {
  if (sandbox === null) return;
  const monthly: { readonly startedMs: number; readonly currency: string; readonly amount: number }[] = [];
  for (const { planCode, interval, startedMs, fate, coupon } of subscriptions) {
    if (fate === 'trialing') continue;
    const plan = await findPlanByCode(platform, planCode);
    const price = plan?.prices.find((one) => one.interval === interval);
    if (price === undefined) continue;
    const { currency } = price;
    const percentOff = coupon === loyaltyCoupon.code ? loyaltyCoupon.percentOff : 0;
    const amount = Math.round((price.amount * (100 - percentOff)) / (interval === 'month' ? 100 : 1200));
    monthly.push({ startedMs, currency, amount });
  }
  const rows: RevenueDaysTable[] = [];
  for (let ago = historyDays; ago >= 1; ago -= 1) {
    const atMs = present.nowMs - ago * dayMs;
    const running = monthly.filter(({ startedMs }) => startedMs < atMs);
    for (const [currency, ofCurrency] of Map.groupBy(running, (one) => one.currency)) {
      rows.push({ day: dayAt(atMs), currency, amount: ofCurrency.reduce((sum, { amount }) => sum + amount, 0) });
    }
  }
  await platform.transaction(async (tx) => {
    await createPastRevenue(tx, rows);
    await recordDemoRows(tx, 'revenue_days', [...new Set(rows.map(({ day }) => day))]);
  });
}
