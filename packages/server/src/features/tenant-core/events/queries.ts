import type { TenantTransaction } from '../../../db/database.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import type { EventsTable, WebhookDeliveriesTable, WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';

/**
 * Every endpoint that is not deleted: a plan allows few, and no tenant has more than 2,000. In the order of ids, in which PostgreSQL then locks the
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

export async function createEventRows(tx: TenantTransaction, rows: readonly EventsTable[]): Promise<void> {
  await insertRows(tx, 'events', rows);
}

export async function createDeliveryRows(
  tx: TenantTransaction,
  rows: readonly WebhookDeliveriesTable[],
): Promise<void> {
  await insertRows(tx, 'webhook_deliveries', rows);
}
