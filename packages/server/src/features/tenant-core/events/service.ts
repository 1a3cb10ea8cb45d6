import type { TenantTransaction } from '../../../db/database.ts';
import type { EventsTable, WebhookDeliveriesTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import type { MaybePromise } from '../../../lib/maybe-promise.ts';
import { newDelivery, subscribes } from './event.ts';
import type { EventData } from './event-data.ts';
import { createDeliveryRows, createEventRows, listEndpointsForEvents } from './queries.ts';
import type { EventType } from './schemas.ts';

/** An event of `type`, or several of them that one change causes. */
export interface NewEvent<Type extends EventType, Data = EventData<Type>> {
  readonly type: Type;
  /** Called only when an endpoint exists: a tenant without one pays for no presentation. It awaits nothing but `tx`. */
  readonly data: () => MaybePromise<Data>;
  /** Of the request that caused it; null for what the service did by itself. */
  readonly requestId: string | null;
  /** The moment of the transaction. */
  readonly at: Timestamp;
}

/**
 * Writes an event and one delivery, due at once, for each enabled endpoint that subscribes to it, in the transaction
 * of the change that it reports. Answers how many deliveries that makes: note a hint for the runner after the commit
 * when there are any.
 *
 * A tenant without any endpoint writes nothing, which one read finds out. With an endpoint that is disabled, or that
 * does not subscribe, the event is kept, so that `recover` can send it later.
 */
export async function recordEvent<const Type extends EventType>(
  tx: TenantTransaction,
  event: NewEvent<Type>,
): Promise<number> {
  return await recordEvents<Type>(tx, { ...event, data: async () => [await event.data()] });
}

/** The same for many resources that one change touches: an event for each, with few statements. */
export async function recordEvents<const Type extends EventType>(
  tx: TenantTransaction,
  { type, data, requestId, at }: NewEvent<Type, readonly EventData<Type>[]>,
): Promise<number> {
  const endpoints = await listEndpointsForEvents(tx);
  if (endpoints.length === 0) return 0;
  const events = (await data()).map((one) => newEvent(type, one, requestId, at));
  await createEventRows(tx, events);
  const subscribed = endpoints.filter(
    ({ status, events_json }) => status === 'enabled' && subscribes(events_json, type),
  );
  const deliveries = events.flatMap((event) => subscribed.map(({ id }) => newDelivery(event, id, at)));
  await createDeliveryRows(tx, deliveries);
  return deliveries.length;
}

/** Writes a test event with one delivery, to this endpoint and whatever it subscribes to. */
export async function recordTestEvent(
  tx: TenantTransaction,
  webhookId: string,
  requestId: string | null,
  at: Timestamp,
): Promise<WebhookDeliveriesTable> {
  const event = newEvent('webhook.test', { webhook_id: webhookId }, requestId, at);
  const delivery = newDelivery(event, webhookId, at);
  await createEventRows(tx, [event]);
  await createDeliveryRows(tx, [delivery]);
  return delivery;
}

/** Writes deliveries, due at once, of events that an endpoint never got. */
export async function deliverEvents(
  tx: TenantTransaction,
  events: readonly Pick<EventsTable, 'id' | 'type'>[],
  webhookId: string,
  at: Timestamp,
): Promise<void> {
  await createDeliveryRows(
    tx,
    events.map((event) => newDelivery(event, webhookId, at)),
  );
}

function newEvent(type: EventType, data: object, requestId: string | null, at: Timestamp): EventsTable {
  return { id: newId(), type, occurred_at: at, request_id: requestId, data_json: JSON.stringify(data) };
}
