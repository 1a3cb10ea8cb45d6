import type { Services } from '../../../services.ts';
import { sumSubscriptions } from './queries.ts';

/** Monthly recurring revenue in one currency, in its minor unit. */
export interface MonthlyRevenue {
  readonly currency: string;
  readonly amount: number;
}

/**
 * Monthly recurring revenue per currency, of one tenant or (null) of all: subscriptions that are active or past due,
 * yearly ones by a twelfth of their sum, rounded once. Trials bring in nothing yet.
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
