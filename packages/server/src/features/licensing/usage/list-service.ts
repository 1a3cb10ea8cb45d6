import type { TenantDb } from '../../../db/database.ts';
import type { UsageTotalsTable } from '../../../db/tables/tenant/licenses.ts';
import { decodeCursor, pageOf } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import { toEpochMs } from '../../../lib/clock.ts';
import { validationError } from '../../../lib/error.ts';
import { isUuid } from '../../../lib/ids.ts';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import type { ClockServices } from '../../../services.ts';
import { readTimezone } from '../../tenant-core/settings/service.ts';
import { entitlementCodePattern } from '../entitlements/grant-schemas.ts';
import { readLicenseNames } from '../licenses/names-service.ts';
import { endOfPeriod, periodsAt, startOfPeriod } from './period.ts';
import { type Bound, listTotals, sumTotals, type TotalPosition } from './queries.ts';
import type { BucketInterval, UsageBucket, UsagePoint, UsageQuery, UsageSeriesQuery } from './schemas.ts';

/**
 * Returns the usage per bucket, license and entitlement, newest first. Buckets begin at `from` or later, and before
 * `to`. Usage of deleted licenses is included. Throws 422 for a cursor that is not from a list of this interval.
 */
export async function listUsage(db: TenantDb, query: UsageQuery): Promise<Page<UsageBucket>> {
  const { interval = 'day', license_id, entitlement, from, to, limit, cursor } = query;
  const timezone = await readTimezone(db);
  const rows = await listTotals(db, {
    interval,
    license_id,
    entitlement,
    from: from === undefined ? undefined : boundAt(from, interval, timezone, 'from'),
    to: to === undefined ? undefined : boundAt(to, interval, timezone, 'to'),
    limit,
    after:
      cursor === undefined ? undefined : decodeCursor(cursor, interval === 'hour' ? isHourPosition : isDatePosition),
  });
  const page = pageOf(rows, limit, (row) => [row.period, row.license_id, row.entitlement_code]);
  const names = await readLicenseNames(
    db,
    page.rows.map(({ license_id: id }) => id),
  );
  return { ...page, rows: page.rows.map((row) => present(row, timezone, names.get(row.license_id) ?? row.license_id)) };
}

/** A bucket that begins before the given time and ends after it is excluded by `from` and included by `to`. */
function boundAt(text: string, interval: BucketInterval, timezone: string, side: 'from' | 'to'): Bound {
  const moment = toStoredTimestamp(text);
  const period = periodsAt(toEpochMs(moment), timezone)[interval];
  const beginsBefore = startOfPeriod(period, interval, timezone) < moment;
  return { period, isIncluded: side === 'to' ? beginsBefore : !beginsBefore };
}

function isPositionAt(periodPattern: RegExp) {
  return (values: readonly string[]): values is TotalPosition => {
    const [period = '', licenseId = '', code = '', ...rest] = values;
    return rest.length === 0 && periodPattern.test(period) && isUuid(licenseId) && entitlementCodePattern.test(code);
  };
}

const isHourPosition = isPositionAt(/^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/);
const isDatePosition = isPositionAt(/^\d{4}-\d\d-\d\d$/);

function present(row: UsageTotalsTable, timezone: string, name: string): UsageBucket {
  return {
    bucket_start: startOfPeriod(row.period, row.interval, timezone),
    license_id: row.license_id,
    license_name: name,
    entitlement: row.entitlement_code,
    quantity: row.quantity,
  };
}

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
  if (fromMs >= toMs) throw validationError({ field: 'from', message: 'Choose a start before the end.' });
  return { fromMs, toMs };
}

function periodsOf({ fromMs, toMs }: Range, interval: BucketInterval, timezone: string): string[] {
  const periods: string[] = [];
  for (let atMs = fromMs; atMs < toMs; ) {
    const period = periodsAt(atMs, timezone)[interval];
    periods.push(period);
    if (periods.length > bucketsMax) {
      throw validationError({
        field: 'from',
        message: `Choose a start at most ${bucketsMax} ${interval}s before the end.`,
      });
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
