import type { TenantDb } from '../../../db/database.ts';
import type { UsageTotalsTable } from '../../../db/tables/tenant/licenses.ts';
import { decodeCursor, pageOf } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import { toEpochMs } from '../../../lib/clock.ts';
import { isUuid } from '../../../lib/ids.ts';
import { readTimezone } from '../../tenant-core/settings/service.ts';
import { entitlementCodePattern } from '../entitlements/grant-schemas.ts';
import { type Bound, listTotals, type TotalPosition } from './list-queries.ts';
import { periodsAt, startOfPeriod } from './period.ts';
import type { BucketInterval, UsageBucket, UsageQuery } from './schemas.ts';

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
  return { ...page, rows: page.rows.map((row) => present(row, timezone)) };
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

function present(row: UsageTotalsTable, timezone: string): UsageBucket {
  return {
    bucket_start: startOfPeriod(row.period, row.interval, timezone),
    license_id: row.license_id,
    entitlement: row.entitlement_code,
    quantity: row.quantity,
  };
}
