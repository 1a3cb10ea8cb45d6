import type { TenantDb } from '../../../db/database.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import { toEpochMs } from '../../../lib/clock.ts';
import { validationError } from '../../../lib/error.ts';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import type { ClockServices } from '../../../services.ts';
import { readTimezone } from '../../tenant-core/settings/service.ts';
import { sumTotals } from './list-queries.ts';
import { endOfPeriod, periodsAt, startOfPeriod } from './period.ts';
import type { BucketInterval, UsagePoint, UsageSeriesQuery } from './schemas.ts';

const hourMs = 3_600_000;
/** Each bucket is a query of its own, because the embedded engine serves nothing else during one. */
const bucketsMax = 100;
const bucketsByDefault = 30;
const longestMs: Readonly<Record<BucketInterval, number>> = {
  hour: hourMs,
  day: 25 * hourMs,
  week: 7 * 24 * hourMs,
  month: 31 * 24 * hourMs,
  year: 366 * 24 * hourMs,
};

/**
 * Returns the usage of all licenses, or of one, in every bucket of a range, oldest first; a bucket without usage has no
 * entitlements. Throws 422 for a range of more than 100 buckets, and if `from` is not before `to`.
 */
export async function readUsageSeries(
  { clock }: ClockServices,
  db: TenantDb,
  query: UsageSeriesQuery,
): Promise<UsagePoint[]> {
  const { interval = 'day', license_id, entitlement } = query;
  const timezone = await readTimezone(db);
  const points: UsagePoint[] = [];
  for (const period of periodsOf(rangeOf(clock.nowMs(), query), interval, timezone)) {
    const entitlements = await sumTotals(db, { interval, period, license_id, entitlement });
    points.push({ bucket_start: startOfPeriod(period, interval, timezone), entitlements });
    await yieldToEventLoop();
  }
  return points;
}

interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

function rangeOf(nowMs: number, { interval = 'day', from, to }: UsageSeriesQuery): Range {
  const toMs = to === undefined ? nowMs : toEpochMs(toStoredTimestamp(to));
  const defaultMs = Math.max(0, toMs - (bucketsByDefault - 1) * longestMs[interval]);
  const fromMs = from === undefined ? defaultMs : toEpochMs(toStoredTimestamp(from));
  if (fromMs >= toMs) throw validationError({ field: 'from', message: 'must be before to, whose default is now' });
  return { fromMs, toMs };
}

function periodsOf({ fromMs, toMs }: Range, interval: BucketInterval, timezone: string): string[] {
  const periods: string[] = [];
  for (let atMs = fromMs; atMs < toMs; ) {
    const period = periodsAt(atMs, timezone)[interval];
    periods.push(period);
    if (periods.length > bucketsMax) {
      throw validationError({ field: 'from', message: `must be at most ${bucketsMax} ${interval}s before to` });
    }
    atMs = endMs(period, interval, timezone);
  }
  return periods;
}

function endMs(period: string, interval: BucketInterval, timezone: string): number {
  if (interval === 'hour') return toEpochMs(period) + hourMs;
  const end = endOfPeriod(period, interval, timezone);
  return end === null ? Number.POSITIVE_INFINITY : toEpochMs(end);
}
