import type { TenantTransaction } from '../../../db/database.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import type { EventsTable, WebhookDeliveriesTable, WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import type { MaybePromise } from '../../../lib/maybe-promise.ts';
import { listProductsOf } from '../license-products/service.ts';
import { type EventData, newDelivery, receives } from './event.ts';
import type { EventType } from './schemas.ts';

/** One event of a type, or with an array as `Data` several events that one change causes. */
export interface NewEvent<Type extends EventType, Data = EventData<Type>> {
  readonly type: Type;
  /** Builds the data. It is called only if the tenant has an endpoint, and may do no I/O except on `tx`. */
  readonly data: () => MaybePromise<Data>;
  /** The id of the request that caused the event; null for a background job. */
  readonly requestId: string | null;
  /** The timestamp of the transaction. */
  readonly at: Timestamp;
}

/**
 * Writes an event, and a delivery due at once for each enabled endpoint that subscribes to it. Call it in the
 * transaction of the change that the event reports. Returns the number of deliveries; if it is not 0, wake the delivery
 * job after the commit, or use `Outbox`, which does so.
 *
 * For a tenant without endpoints it writes nothing, at the cost of one read. If all endpoints are disabled or do not
 * subscribe, it still stores the event, so that `recover` can send it later.
 */
export async function recordEvent<const Type extends EventType>(
  tx: TenantTransaction,
  event: NewEvent<Type>,
): Promise<number> {
  return await recordEvents<Type>(tx, { ...event, data: async () => [await event.data()] });
}

/** Writes one event for each of several resources that one change affects, as `recordEvent` does, in few statements. */
export async function recordEvents<const Type extends EventType>(
  tx: TenantTransaction,
  { type, data, requestId, at }: NewEvent<Type, readonly EventData<Type>[]>,
): Promise<number> {
  const endpoints = await listEndpointsForEvents(tx);
  if (endpoints.length === 0) return 0;
  const resources = await data();
  const products = await productsOf(tx, type, resources);
  const events = resources.map((resource, index) => newEvent(type, resource, requestId, at, products[index]));
  await createEventRows(tx, events);
  const deliveries = events.flatMap((event) =>
    endpoints.filter((endpoint) => receives(endpoint, event)).map(({ id }) => newDelivery(event, id, at)),
  );
  await createDeliveryRows(tx, deliveries);
  return deliveries.length;
}

/**
 * Returns the product of each resource: that of a license or of a release, or of the license that a device or a usage belongs to.
 * Others have none, not even an API key that works for one product only.
 */
async function productsOf(
  tx: TenantTransaction,
  type: EventType,
  resources: readonly object[],
): Promise<readonly (string | undefined)[]> {
  const textsOf = (field: string) => resources.map((one) => String(Reflect.get(one, field) ?? ''));
  if (type.startsWith('license.') || type.startsWith('release.')) return textsOf('product_id');
  const ids = textsOf('license_id');
  if (ids.every((id) => id === '')) return [];
  const products = await listProductsOf(tx, [...new Set(ids)]);
  return ids.map((id) => products.get(id));
}

/** Writes a test event with one delivery to this endpoint, regardless of its subscription. Returns the delivery. */
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

/** Writes deliveries, due at once, of existing events to an endpoint that did not receive them. */
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

function newEvent(
  type: EventType,
  data: object,
  requestId: string | null,
  at: Timestamp,
  product_id: string | null = null,
): EventsTable {
  return { id: newId(), type, occurred_at: at, request_id: requestId, product_id, data_json: JSON.stringify(data) };
}

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

/**
 * Returns every endpoint that is not deleted; no tenant has more than 2,000. They are ordered by id, because inserting
 * deliveries makes PostgreSQL lock the endpoints in this order: concurrent transactions cannot deadlock.
 */
function listEndpointsForEvents(
  tx: TenantTransaction,
): Promise<Pick<WebhookEndpointsTable, 'id' | 'status' | 'events_json' | 'product_id'>[]> {
  return tx
    .selectFrom('webhook_endpoints')
    .select(['id', 'status', 'events_json', 'product_id'])
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
}

/** Inserts events. */
async function createEventRows(tx: TenantTransaction, rows: readonly EventsTable[]): Promise<void> {
  await insertRows(tx, 'events', rows);
}

/** Inserts deliveries of events that are already inserted. */
async function createDeliveryRows(tx: TenantTransaction, rows: readonly WebhookDeliveriesTable[]): Promise<void> {
  await insertRows(tx, 'webhook_deliveries', rows);
}

/** Inserts past events and their completed deliveries, in the caller's transaction. It sends nothing. */
export async function createPastEvents(
  tx: TenantTransaction,
  events: readonly EventsTable[],
  deliveries: readonly WebhookDeliveriesTable[],
): Promise<void> {
  await createEventRows(tx, events);
  await createDeliveryRows(tx, deliveries);
}
