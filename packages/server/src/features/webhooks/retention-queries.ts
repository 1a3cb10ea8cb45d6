import type { TenantTransaction } from '../../db/database.ts';
import type { Timestamp } from '../../lib/clock.ts';

/** Deletes deliveries that have ended and were made before a moment, oldest first, with their attempts. */
export async function deleteEndedDeliveries(tx: TenantTransaction, before: Timestamp, limit: number): Promise<number> {
  const old = await tx
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('created_at', '<', before)
    .where('claimable_at', 'is', null)
    .orderBy('created_at')
    .limit(limit)
    .execute();
  if (old.length === 0) return 0;
  const ids = old.map(({ id }) => id);
  await tx.deleteFrom('webhook_deliveries').where('id', 'in', ids).execute();
  return ids.length;
}

/** Deletes events of before a moment that no delivery refers to. */
export async function deleteEvents(tx: TenantTransaction, before: Timestamp, limit: number): Promise<number> {
  const old = await tx
    .selectFrom('events')
    .select('events.id')
    .where('occurred_at', '<', before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(selectFrom('webhook_deliveries').select('id').whereRef('webhook_deliveries.event_id', '=', 'events.id')),
      ),
    )
    .orderBy('occurred_at')
    .limit(limit)
    .execute();
  if (old.length === 0) return 0;
  const ids = old.map(({ id }) => id);
  await tx.deleteFrom('events').where('id', 'in', ids).execute();
  return ids.length;
}

/** Deletes endpoints that were deleted before a moment and to which no delivery refers. */
export async function deleteDeletedEndpoints(tx: TenantTransaction, before: Timestamp): Promise<void> {
  await tx
    .deleteFrom('webhook_endpoints')
    .where('deleted_at', '<', before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhook_deliveries')
            .select('id')
            .whereRef('webhook_deliveries.webhook_id', '=', 'webhook_endpoints.id'),
        ),
      ),
    )
    .execute();
}
