import type { PlatformTransaction } from '../../../db/database.ts';
import type { ActivityCounts, RevenueDaysTable } from '../../../db/tables/platform/operations.ts';
import { toTimestamp } from '../../../lib/clock.ts';
import type { PlatformServices, Services } from '../../../services.ts';
import { tenantNotFound } from '../../accounts/tenants/service.ts';
import { addCounts, dayAt, noActivity } from '../activity/counters.ts';
import { type ActivityRange, hasPoints, rangeOf, readActivity } from '../activity/service.ts';
import {
  countTenants,
  countTroubles,
  findDayBefore,
  listCurrenciesOf,
  listRevenueDays,
  replaceRevenueDay,
  sumSubscriptions,
} from './queries.ts';
import type { Metrics, MetricsQuery } from './schemas.ts';

/**
 * Returns the tenants, the revenue and the activity of all tenants or of one. A deleted tenant still has its figures.
 * Runs at most six statements, independently of the number of tenants. Throws 404 `TENANT.NOT_FOUND`, and
 * 422 for a range without buckets or with too many.
 */
export async function readMetrics(services: Services, query: MetricsQuery): Promise<Metrics> {
  const tenantId = query.tenant_id ?? null;
  const range = rangeOf(services, query);
  const points = await readActivity(services, tenantId, range);
  const tenants = { active: 0, suspended: 0, closed: 0 };
  for (const { status, count } of await countTenants(services.platform, tenantId)) tenants[status] = Number(count);
  const isKnown = tenantId === null || Object.values(tenants).some((count) => count > 0);
  if (!isKnown && !(await hasPoints(services.platform, tenantId))) throw tenantNotFound();
  const mrr = await readMonthlyRevenue(services, tenantId);
  const totals = noActivity();
  for (const point of points) addCounts(totals, point);
  return {
    tenants,
    mrr,
    mrr_series: tenantId === null ? await readRevenueDays(services, range, mrr) : [],
    troubles: tenantId === null ? await countTroubles(services.platform) : null,
    interval: range.interval,
    from: toTimestamp(range.firstMs),
    to: toTimestamp(range.toMs),
    totals: withRates(totals),
    series: points.map(({ bucket_start, ...counts }) => ({ bucket_start, ...withRates(counts) })),
  };
}

function withRates(counts: ActivityCounts): Metrics['totals'] {
  const { errors, integration_requests, webhook_attempts_succeeded, webhook_attempts_failed } = counts;
  const attempts = webhook_attempts_succeeded + webhook_attempts_failed;
  return {
    ...counts,
    error_rate: integration_requests === 0 ? null : errors / integration_requests,
    webhook_success_rate: attempts === 0 ? null : webhook_attempts_succeeded / attempts,
  };
}

/** Monthly recurring revenue in one currency, in its minor unit. */
export interface MonthlyRevenue {
  readonly currency: string;
  readonly amount: number;
}

/**
 * Returns the monthly recurring revenue per currency, of one tenant or of all tenants (null). It counts active and
 * past-due subscriptions without trials, less lasting discounts. A yearly subscription counts with a twelfth of its
 * price. The sum is rounded once.
 */
async function readMonthlyRevenue({ platform }: PlatformServices, tenantId: string | null): Promise<MonthlyRevenue[]> {
  const twelfths = new Map<string, number>();
  for (const { currency, interval, amount } of await sumSubscriptions(platform, tenantId)) {
    twelfths.set(currency, (twelfths.get(currency) ?? 0) + amount * (interval === 'month' ? 12 : 1));
  }
  return [...twelfths]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([currency, sum]) => ({ currency, amount: Math.round(sum / 12) }));
}

/** The monthly recurring revenue in one currency on one day. */
export interface RevenueDay extends MonthlyRevenue {
  /** The start of the day in UTC. */
  readonly day_start: string;
}

const startOf = (day: string) => `${day}T00:00:00.000000Z`;

/**
 * Returns the revenue of the platform on each stored day of a range, by day and currency. The current day has the
 * current revenue. A day without rows was not recorded, because the service did not run or was an older version.
 */
async function readRevenueDays(
  { clock, platform }: PlatformServices,
  { firstMs, toMs }: Pick<ActivityRange, 'firstMs' | 'toMs'>,
  current: readonly MonthlyRevenue[],
): Promise<RevenueDay[]> {
  const today = dayAt(clock.nowMs());
  const last = dayAt(toMs - 1);
  const stored = (await listRevenueDays(platform, dayAt(firstMs), last)).filter(({ day }) => day < today);
  const days = stored.map(({ day, currency, amount }) => ({ day_start: startOf(day), currency, amount }));
  if (dayAt(firstMs) > today || last < today) return days;
  return [...days, ...current.map((revenue) => ({ day_start: startOf(today), ...revenue }))];
}

/**
 * Stores the current revenue of the platform for the current day in UTC. A currency with revenue only on the previous
 * stored day is stored with 0. A repetition on the same day replaces the amounts.
 */
export async function recordRevenue(services: PlatformServices): Promise<void> {
  const day = dayAt(services.clock.nowMs());
  const amounts = new Map((await readMonthlyRevenue(services, null)).map(({ currency, amount }) => [currency, amount]));
  await services.platform.transaction(async (tx) => {
    const before = await findDayBefore(tx, day);
    const ended = before === undefined ? [] : await listCurrenciesOf(tx, before);
    for (const currency of ended) if (!amounts.has(currency)) amounts.set(currency, 0);
    const rows = [...amounts].map(([currency, amount]) => ({ day, currency, amount }));
    await replaceRevenueDay(tx, day, rows);
  });
}

/** Replaces the stored revenue of past days, in the caller's transaction. */
export async function createPastRevenue(tx: PlatformTransaction, rows: readonly RevenueDaysTable[]): Promise<void> {
  for (const [day, ofDay] of Map.groupBy(rows, (row) => row.day)) await replaceRevenueDay(tx, day, ofDay);
}

/** Deletes the stored revenue of days, in the caller's transaction. */
export async function deletePastRevenue(tx: PlatformTransaction, days: Iterable<string>): Promise<void> {
  for (const day of days) await replaceRevenueDay(tx, day, []);
}
