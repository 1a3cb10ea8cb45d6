import type { TenantTransaction } from '../../db/database.ts';
import type { UsageInterval } from '../../db/tables.ts';
import type { Timestamp } from '../../lib/clock.ts';

const totalKey = ['license_id', 'interval', 'period', 'entitlement_code'] as const;

/** Deletes up to `most` totals of an interval whose period comes before this one. Answers how many. */
export async function deleteTotalsBefore(
  tx: TenantTransaction,
  interval: UsageInterval,
  period: string,
  most: number,
): Promise<number> {
  const deleted = await tx
    .deleteFrom('usage_totals')
    .where((eb) =>
      eb(
        eb.refTuple(...totalKey),
        'in',
        eb
          .selectFrom('usage_totals')
          .select(totalKey)
          .where('interval', '=', interval)
          .where('period', '<', period)
          .orderBy('period')
          .limit(most)
          .$asTuple(...totalKey),
      ),
    )
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

/** Deletes up to `most` idempotency keys of events that were recorded before `cutoff`. Answers how many. */
export async function deleteEventsBefore(tx: TenantTransaction, cutoff: Timestamp, most: number): Promise<number> {
  const eventKey = ['license_id', 'idempotency_key'] as const;
  const deleted = await tx
    .deleteFrom('usage_events')
    .where((eb) =>
      eb(
        eb.refTuple(...eventKey),
        'in',
        eb
          .selectFrom('usage_events')
          .select(eventKey)
          .where('recorded_at', '<', cutoff)
          .orderBy('recorded_at')
          .limit(most)
          .$asTuple(...eventKey),
      ),
    )
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}
