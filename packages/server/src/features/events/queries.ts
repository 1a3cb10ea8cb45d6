import type { TenantTransaction } from '../../db/database.ts';
import type { EventsTable, WebhookDeliveriesTable, WebhookEndpointsTable } from '../../db/webhook-tables.ts';

/**
 * Every endpoint that is not deleted: a plan allows few. In the order of ids, in which PostgreSQL then locks the
 * endpoints that deliveries refer to, so that two never wait in a ring.
 */
export function listEndpointsForEvents(
  tx: TenantTransaction,
): Promise<Pick<WebhookEndpointsTable, 'id' | 'status' | 'events_json'>[]> {
  return tx
    .selectFrom('webhook_endpoints')
    .select(['id', 'status', 'events_json'])
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
}

export async function createEventRow(tx: TenantTransaction, row: EventsTable): Promise<void> {
  await tx.insertInto('events').values(row).execute();
}

/** A statement has room for some thousands of values. */
const rowsPerStatement = 500;

export async function createDeliveryRows(
  tx: TenantTransaction,
  rows: readonly WebhookDeliveriesTable[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    await tx
      .insertInto('webhook_deliveries')
      .values(rows.slice(start, start + rowsPerStatement))
      .execute();
  }
}
