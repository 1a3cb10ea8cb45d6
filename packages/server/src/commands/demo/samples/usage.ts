import type { PastUsage } from '../../../features/licensing/usage/counters-service.ts';
import type { DemoLicense } from './licenses.ts';
import { dayMs, hourMs, type Present } from './past.ts';
import type { Random } from './random.ts';

/** Days of usage and validations before now. */
export const historyDays = 90;

/** Returns the usage of metered licenses over the last ninety days: less at weekends, more from month to month. */
export function planUsage(random: Random, present: Present, licenses: readonly DemoLicense[]): PastUsage[] {
  const metered = licenses.filter(({ model, row }) => model === 'metered' && row.status === 'active');
  return metered.flatMap((license, index) => {
    // The first customer is close to the limit of renders, which is 600 a month.
    const scale = index === 0 ? 1.9 : 0.15 + random.next();
    const days = Array.from({ length: historyDays }, (_, ago) => historyDays - 1 - ago);
    return days.flatMap((ago) => usageOfDay(random, present, license, { ago, scale }));
  });
}

function usageOfDay(
  random: Random,
  present: Present,
  { row, startedMs }: DemoLicense,
  { ago, scale }: { readonly ago: number; readonly scale: number },
): PastUsage[] {
  const dayStartMs = present.nowMs - (present.nowMs % dayMs) - ago * dayMs;
  const factor = scale * weekdayFactor(dayStartMs) * (0.6 + (0.4 * (historyDays - ago)) / historyDays);
  return [8, 11, 14, 17, 20].flatMap((hour) => {
    const atMs = dayStartMs + hour * hourMs;
    if (atMs > present.nowMs || atMs < (startedMs ?? 0)) return [];
    const usage = (code: string, quantity: number) => ({ licenseId: row.id, code, atMs, quantity });
    const amount = (most: number) => Math.max(1, Math.round(most * factor * (0.5 + random.next())));
    return [usage('renders', amount(4)), usage('api-calls', amount(70))];
  });
}

/** Returns how busy the day is that contains a time, from 0 to 1: weekends are quiet. */
export function weekdayFactor(atMs: number): number {
  const weekday = new Date(atMs).getUTCDay();
  return weekday === 0 || weekday === 6 ? 0.35 : 1;
}
