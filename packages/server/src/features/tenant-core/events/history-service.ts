import type { TenantTransaction } from '../../../db/database.ts';
import type { EventsTable, WebhookDeliveriesTable } from '../../../db/tables/tenant/webhooks.ts';
import { createDeliveryRows, createEventRows } from './service.ts';

/** Inserts past events and their completed deliveries, in the caller's transaction. It sends nothing. */
export async function createPastEvents(
  tx: TenantTransaction,
  events: readonly EventsTable[],
  deliveries: readonly WebhookDeliveriesTable[],
): Promise<void> {
  await createEventRows(tx, events);
  await createDeliveryRows(tx, deliveries);
}
