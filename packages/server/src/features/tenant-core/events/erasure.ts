import type { TenantDb } from '../../../db/database.ts';
import type { EventsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { EventPosition } from './service.ts';

/** Events per read; a transaction writes only those that change. */
const eventsPerPage = 500;

/**
 * Replaces the data of stored events: `clean` returns an event's data without what must go, or undefined to keep it. It
 * reads all events in pages by time, because no index contains what they are about. Deliveries that are still to be sent
 * carry the new data. Safe to repeat. Returns the last event that it read, after which a later call can continue.
 */
export async function rewriteEvents(
  db: TenantDb,
  clean: (type: string, data: Record<string, unknown>) => object | undefined,
  from: EventPosition | null = null,
): Promise<EventPosition | null> {
  for (let after = from; ; ) {
    const { occurred_at, id } = after ?? { occurred_at: '', id: '' };
    const page = await db.query
      .selectFrom('events')
      .select(['id', 'type', 'occurred_at', 'data_json'])
      .where((eb) => eb(eb.refTuple('occurred_at', 'id'), '>', eb.tuple(occurred_at, id)))
      .orderBy('occurred_at')
      .orderBy('id')
      .limit(eventsPerPage)
      .execute();
    const changed = page.flatMap((row) => {
      const data = clean(row.type, JSON.parse(row.data_json));
      return data === undefined ? [] : [{ id: row.id, data_json: JSON.stringify(data) }];
    });
    if (changed.length > 0) await writeAll(db, changed);
    after = page.at(-1) ?? after;
    if (page.length < eventsPerPage) return after;
  }
}

async function writeAll(db: TenantDb, rows: readonly Pick<EventsTable, 'id' | 'data_json'>[]): Promise<void> {
  await db.transaction(async (tx) => {
    for (const { id, data_json } of rows) {
      await tx.updateTable('events').set({ data_json }).where('id', '=', id).execute();
    }
  });
}
