import type { TenantTransaction } from '../../../db/database.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import type { EventsTable, WebhookDeliveriesTable, WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';

/**
 * Returns every endpoint that is not deleted; no tenant has more than 2,000. They are ordered by id, because inserting
 * deliveries makes PostgreSQL lock the endpoints in this order: concurrent transactions cannot deadlock.
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

/** Inserts events. */
export async function createEventRows(tx: TenantTransaction, rows: readonly EventsTable[]): Promise<void> {
  await insertRows(tx, 'events', rows);
}

/** Inserts deliveries of events that are already inserted. */
export async function createDeliveryRows(
  tx: TenantTransaction,
  rows: readonly WebhookDeliveriesTable[],
): Promise<void> {
  await insertRows(tx, 'webhook_deliveries', rows);
}
