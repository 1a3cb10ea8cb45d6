import type { Services } from '../../../services.ts';
import { sumSubscriptions } from './queries.ts';

/** Monthly recurring revenue in one currency, in its minor unit. */
export interface MonthlyRevenue {
  readonly currency: string;
  readonly amount: number;
}

/**
 * Returns the monthly recurring revenue per currency, of one tenant or of all tenants (null). It counts subscriptions
 * that are active or past due, but no trials. A yearly subscription counts with a twelfth of its price; the sum is
 * rounded once.
 */
export async function readMonthlyRevenue(
  { platform }: Pick<Services, 'platform'>,
  tenantId: string | null,
): Promise<MonthlyRevenue[]> {
  const twelfths = new Map<string, number>();
  for (const { currency, interval, amount } of await sumSubscriptions(platform, tenantId)) {
    twelfths.set(currency, (twelfths.get(currency) ?? 0) + amount * (interval === 'month' ? 12 : 1));
  }
  return [...twelfths]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([currency, sum]) => ({ currency, amount: Math.round(sum / 12) }));
}
