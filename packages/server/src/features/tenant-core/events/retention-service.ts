import type { TenantTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** The last event that a batch examined. */
export interface EventPosition {
  readonly occurred_at: Timestamp;
  readonly id: string;
}

interface EventRange {
  readonly before: Timestamp;
  /** The batch starts after this event; null starts at the oldest one. */
  readonly after: EventPosition | null;
  readonly limit: number;
}

/**
 * Examines the next `limit` events that occurred before a moment and deletes the ones without a delivery. Returns the
 * last event that it examined, where the next batch continues; null after the last batch. The subquery for a delivery
 * has its own limit of 1, so that both engines use the index per event and never read all deliveries.
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
