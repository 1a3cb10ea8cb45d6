import type { TenantTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/**
 * Deletes deliveries that have ended and were made before a moment, oldest first, with their attempts. Answers how many.
 * It deletes everything up to the last of them: given their ids instead, PostgreSQL may read the whole table.
 */
export async function deleteEndedDeliveries(tx: TenantTransaction, before: Timestamp, limit: number): Promise<number> {
  const last = await tx
    .selectFrom('webhook_deliveries')
    .select(['created_at', 'id'])
    .where('created_at', '<', before)
    .where('claimable_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst();
  const result = await tx
    .deleteFrom('webhook_deliveries')
    .where((eb) =>
      last === undefined
        ? eb('created_at', '<', before)
        : eb(eb.refTuple('created_at', 'id'), '<=', eb.tuple(last.created_at, last.id)),
    )
    .where('claimable_at', 'is', null)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** An event up to which events were looked at. */
export interface EventPosition {
  readonly occurred_at: Timestamp;
  readonly id: string;
}

interface EventRange {
  readonly before: Timestamp;
  /** Null: from the oldest one on. */
  readonly after: EventPosition | null;
  readonly limit: number;
}

/**
 * Looks at the next `limit` events of before a moment and deletes those that no delivery refers to. Answers the last
 * one that it looked at, to go on from; null when there are no more. The look for a delivery has a limit of its own:
 * so both engines answer it from the index for each event, and never read all deliveries.
 */
export async function deleteEvents(tx: TenantTransaction, range: EventRange): Promise<EventPosition | null> {
  const { before, limit } = range;
  const after = range.after ?? { occurred_at: '', id: '' };
  const last = await tx
    .selectFrom('events')
    .select(['occurred_at', 'id'])
    .where('occurred_at', '<', before)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('occurred_at', 'id'), '>', tuple(after.occurred_at, after.id)))
    .orderBy('occurred_at')
    .orderBy('id')
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst();
  await tx
    .deleteFrom('events')
    .where(({ eb, refTuple, tuple }) => eb(refTuple('occurred_at', 'id'), '>', tuple(after.occurred_at, after.id)))
    .where(({ eb, refTuple, tuple }) =>
      last === undefined
        ? eb('occurred_at', '<', before)
        : eb(refTuple('occurred_at', 'id'), '<=', tuple(last.occurred_at, last.id)),
    )
    .where(
      ({ selectFrom }) =>
        selectFrom('webhook_deliveries')
          .select('webhook_deliveries.event_id')
          .whereRef('webhook_deliveries.event_id', '=', 'events.id')
          .limit(1),
      'is',
      null,
    )
    .execute();
  return last ?? null;
}
