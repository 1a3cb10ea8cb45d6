import type { TenantTransaction } from '../../../db/database.ts';
import type { UsageInterval } from '../../../db/tables/tenant/usage.ts';
import type { Timestamp } from '../../../lib/clock.ts';

// Each function deletes every row up to the last row of its batch. With a list of keys instead, PostgreSQL may scan the
// whole table.

/** Deletes up to `most` totals of an interval whose period is before `period`. Returns their number. */
export async function deleteTotalsBefore(
  tx: TenantTransaction,
  interval: UsageInterval,
  period: string,
  most: number,
): Promise<number> {
  const last = await tx
    .selectFrom('usage_totals')
    .select(['period', 'license_id', 'entitlement_code'])
    .where('interval', '=', interval)
    .where('period', '<', period)
    .orderBy('period')
    .orderBy('license_id')
    .orderBy('entitlement_code')
    .offset(most - 1)
    .limit(1)
    .executeTakeFirst();
  const deleted = await tx
    .deleteFrom('usage_totals')
    .where('interval', '=', interval)
    .where((eb) =>
      last === undefined
        ? eb('period', '<', period)
        : eb(
            eb.refTuple('period', 'license_id', 'entitlement_code'),
            '<=',
            eb.tuple(last.period, last.license_id, last.entitlement_code),
          ),
    )
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

/**
 * Deletes the idempotency keys of up to `most` events that were recorded before `cutoff`, and the keys recorded in the
 * same report as the last of them, at most 1,000 more. Returns their number.
 */
export async function deleteEventsBefore(tx: TenantTransaction, cutoff: Timestamp, most: number): Promise<number> {
  const last = await tx
    .selectFrom('usage_events')
    .select('recorded_at')
    .where('recorded_at', '<', cutoff)
    .orderBy('recorded_at')
    .offset(most - 1)
    .limit(1)
    .executeTakeFirst();
  const deleted = await tx
    .deleteFrom('usage_events')
    .where((eb) => (last === undefined ? eb('recorded_at', '<', cutoff) : eb('recorded_at', '<=', last.recorded_at)))
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}
