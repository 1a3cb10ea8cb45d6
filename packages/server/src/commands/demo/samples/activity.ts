import type { PastUsage } from '../../../features/licensing/usage/counters-service.ts';
import { bucketMs, dayAt, noActivity } from '../../../features/operations/activity/counters.ts';
import type { GatheredActivity, GatheredKeyRequests } from '../../../features/operations/activity/write-queries.ts';
import type { DemoLicense } from './licenses.ts';
import { dayMs, hourMs, type Present } from './past.ts';
import type { Random } from './random.ts';

/** A tenant for which activity is invented. */
export interface ActiveTenant {
  readonly tenantId: string;
  /** About how many validations an hour of a working day has. */
  readonly validationsPerHour: number;
  /** Traffic at the start relative to now: 0.5 means half of the present traffic. */
  readonly startedAt: number;
  /** The first and the last day with activity, in days before now. */
  readonly fromDaysAgo: number;
  readonly untilDaysAgo: number;
}

/** Returns the activity of ninety days, hour by hour, up to the last full hour. */
export function planActivity(random: Random, present: Present, tenant: ActiveTenant): GatheredActivity[] {
  const endMs = present.nowMs - (present.nowMs % bucketMs.hour) - tenant.untilDaysAgo * dayMs;
  const firstDays = Math.min(historyDays, tenant.fromDaysAgo);
  const activity: GatheredActivity[] = [];
  for (let atMs = present.nowMs - (present.nowMs % dayMs) - firstDays * dayMs; atMs < endMs; atMs += hourMs) {
    // A point for every hour of the last days only: the rows of three months would make the first start slow.
    const isRecent = present.nowMs - atMs < 8 * dayMs;
    const hour = new Date(atMs).getUTCHours();
    if (!isRecent && hour % 6 !== 3) continue;
    const age = (present.nowMs - atMs) / (historyDays * dayMs);
    const growth = 1 - age * (1 - tenant.startedAt);
    const busy = (0.25 + 0.75 * Math.max(0, Math.sin(((hour - 5) / 18) * Math.PI))) * (isRecent ? 1 : 6);
    const scale = tenant.validationsPerHour * growth * busy * weekdayFactor(atMs) * (0.75 + random.next() / 2);
    activity.push(activityOf(random, tenant.tenantId, atMs, Math.round(scale)));
  }
  return activity;
}

function activityOf(random: Random, tenantId: string, hourMsOfActivity: number, validations: number): GatheredActivity {
  const errors = Math.round(validations * random.next() * 0.02);
  const activations = Math.round(validations * random.next() * 0.03);
  const attempts = activations + random.integer(0, 2);
  const failed = random.chance(0.15) ? Math.min(attempts, random.integer(1, 3)) : 0;
  const counts = {
    ...noActivity(),
    validations,
    activations,
    integration_requests: Math.round(validations * 1.35) + errors,
    errors,
    webhook_attempts_succeeded: attempts - failed,
    webhook_attempts_failed: failed,
  };
  return { tenantId, hourMs: hourMsOfActivity, counts, verdicts: verdictsOf(random, validations), lastRejectedAtMs: 0 };
}

const denials = [
  { code: 'LICENSE.EXPIRED', share: 0.05 },
  { code: 'LICENSE.IN_GRACE', share: 0.03 },
  { code: 'ACTIVATION.NOT_FOUND', share: 0.02 },
  { code: 'ACTIVATION.LIMIT_EXCEEDED', share: 0.012 },
  { code: 'LICENSE.SUSPENDED', share: 0.01 },
  { code: 'LICENSE.NOT_FOUND', share: 0.008 },
] as const;

/** Divides validations among verdicts: most are valid. */
function verdictsOf(random: Random, validations: number): Map<string, number> {
  const verdicts = new Map<string, number>();
  let valid = validations;
  for (const { code, share } of denials) {
    const count = Math.min(valid, Math.floor(validations * share * (0.4 + random.next() * 1.2) + random.next()));
    if (count > 0) verdicts.set(code, count);
    valid -= count;
  }
  if (valid > 0) verdicts.set('LICENSE.VALID', valid);
  return verdicts;
}

/** Returns the requests with the keys of a tenant in the last week. */
export function planKeyRequests(
  random: Random,
  present: Present,
  tenantId: string,
  keyIds: readonly string[],
): GatheredKeyRequests[] {
  return keyIds.flatMap((keyId, index) =>
    Array.from({ length: 6 }, (_, ago) => ({
      day: dayAt(present.nowMs - (ago + 1) * dayMs),
      tenantId,
      keyId,
      requests: Math.round((1200 / (index + 1)) * (0.7 + random.next() * 0.6)),
    })),
  );
}

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
function weekdayFactor(atMs: number): number {
  const weekday = new Date(atMs).getUTCDay();
  return weekday === 0 || weekday === 6 ? 0.35 : 1;
}
