import { sql } from 'kysely';

/**
 * The sum of what subscriptions charge per interval, in minor units: the price less a discount that lasts. A discount of
 * one invoice does not recur, so it does not count; one that has ended is removed by the sync. A percentage is rounded
 * per subscription, half a unit up, like on its invoices. All columns are in the index `subscriptions_revenue`.
 */
export const sumOfRecurringAmounts = sql<number>`cast(sum(amount - case
  when discount_duration is null or discount_duration = 'once' then 0
  when discount_basis_points is not null then (amount * discount_basis_points + 5000) / 10000
  when discount_amount > amount then amount
  else coalesce(discount_amount, 0) end) as bigint)`;
