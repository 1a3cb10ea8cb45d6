import { sql } from 'kysely';
import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdateSkipLocked, isOneOf } from '../../../db/dialect.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import type {
  EventsTable,
  WebhookAttemptsTable,
  WebhookDeliveriesTable,
  WebhookEndpointsTable,
} from '../../../db/tables/tenant/webhooks.ts';
import { paginate } from '../../../http/cursor.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { AttemptSummary, DeliveriesQuery } from './schemas.ts';

const equalFilters = ['webhook_id', 'status', 'event_type'] as const;

/** Returns a page of deliveries. */
export function listDeliveries(db: TenantDb, filters: DeliveriesQuery): Promise<WebhookDeliveriesTable[]> {
  let query = db.query.selectFrom('webhook_deliveries').selectAll();
  for (const column of equalFilters) {
    const value = filters[column];
    if (value !== undefined) query = query.where(column, '=', value);
  }
  if (filters.from !== undefined) query = query.where('created_at', '>=', toStoredTimestamp(filters.from));
  if (filters.to !== undefined) query = query.where('created_at', '<', toStoredTimestamp(filters.to));
  return paginate(query, filters).execute();
}

/** Returns the last attempt of each delivery that has one. */
export function listLastAttempts(
  { query }: TenantDb,
  deliveryIds: readonly string[],
): Promise<(AttemptSummary & { readonly delivery_id: string })[]> {
  const last = query
    .selectFrom('webhook_deliveries')
    .select(({ selectFrom }) =>
      selectFrom('webhook_attempts as attempt')
        .select('attempt.id')
        .whereRef('attempt.delivery_id', '=', 'webhook_deliveries.id')
        .orderBy('attempt.at', 'desc')
        .orderBy('attempt.id', 'desc')
        .limit(1)
        .as('id'),
    )
    .where('webhook_deliveries.id', 'in', deliveryIds);
  return query
    .selectFrom('webhook_attempts')
    .select(['delivery_id', 'at', 'response_status', 'duration_ms', 'error'])
    .where('id', 'in', last)
    .execute();
}

/** Returns the event of a delivery. Throws if it does not exist: a delivery refers to its event. */
export function readEvent({ query }: TenantDb, id: string): Promise<EventsTable> {
  return query.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** Maximum attempts in a response. The schedule has eight; only repeated manual attempts reach the maximum. */
const attemptsShown = 100;

/** Returns the last 100 attempts of a delivery, oldest first. */
export async function listAttempts(db: TenantDb, deliveryId: string): Promise<WebhookAttemptsTable[]> {
  const newestFirst = await db.query
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('delivery_id', '=', deliveryId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(attemptsShown)
    .execute();
  return newestFirst.reverse();
}

/** Replaces all columns of a delivery. The caller must have locked it. */
export async function updateDeliveryRow(tx: TenantTransaction, row: WebhookDeliveriesTable): Promise<void> {
  await tx.updateTable('webhook_deliveries').set(row).where('id', '=', row.id).execute();
}

/** The events that a recovery considers. */
export interface RecoveryRange {
  readonly webhookId: string;
  readonly since: Timestamp;
  /** Only events before this time. */
  readonly until: Timestamp;
  /** The event types, or null for all types. */
  readonly types: readonly string[] | null;
  /** The product, or null for all events. */
  readonly productId: string | null;
}

/** An event without a delivery to the endpoint (`delivery_id` is null), or with a failed one. */
export interface RecoverableEvent {
  readonly id: string;
  readonly type: string;
  readonly occurred_at: Timestamp;
  readonly delivery_id: string | null;
}

function recoverableEvents(
  db: TenantTransaction | TenantDb['query'],
  { webhookId, since, until, types, productId }: RecoveryRange,
) {
  let query = db
    .selectFrom('events')
    .leftJoin('webhook_deliveries as delivery', (join) =>
      join.onRef('delivery.event_id', '=', 'events.id').on('delivery.webhook_id', '=', webhookId),
    )
    .where('events.occurred_at', '>=', since)
    .where('events.occurred_at', '<', until)
    // Test events are not recovered.
    .where('events.type', '!=', 'webhook.test')
    .where(({ or, eb }) => or([eb('delivery.id', 'is', null), eb('delivery.status', '=', 'failed')]));
  if (types !== null) query = query.where('events.type', 'in', types);
  if (productId !== null) query = query.where('events.product_id', '=', productId);
  return query;
}

/** Counts the recoverable events of a range. */
export async function countRecoverableEvents(db: TenantDb, range: RecoveryRange): Promise<number> {
  const { count } = await recoverableEvents(db.query, range)
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns the oldest `limit` recoverable events of a range, oldest first. */
export function listRecoverableEvents(
  tx: TenantTransaction,
  range: RecoveryRange,
  limit: number,
): Promise<RecoverableEvent[]> {
  return recoverableEvents(tx, range)
    .select(['events.id', 'events.type', 'events.occurred_at', 'delivery.id as delivery_id'])
    .orderBy('events.occurred_at')
    .orderBy('events.id')
    .limit(limit)
    .execute();
}

/** Restarts the schedule of failed deliveries: the first attempt is due at `at`. */
export async function restartDeliveries(tx: TenantTransaction, ids: readonly string[], at: Timestamp): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable('webhook_deliveries')
    .set({
      status: 'pending',
      failure_reason: null,
      scheduled_attempts: 0,
      next_trigger: 'schedule',
      next_attempt_at: at,
      resume_at: null,
      claimable_at: at,
      lease_id: null,
    })
    .where('id', 'in', ids)
    .where('status', '=', 'failed')
    .execute();
}

/** Maximum counted rows: an embedded database serves no other request for the milliseconds that counting them takes. */
const countedMax = 100_000;

/** Counts the deliveries with a status that were created since a time, up to 100,000. */
export async function countDeliveries(
  { query }: TenantDb,
  status: WebhookDeliveriesTable['status'],
  since: Timestamp,
): Promise<number> {
  const listed = query
    .selectFrom('webhook_deliveries')
    .select(sql<number>`1`.as('one'))
    .where('status', '=', status)
    .where('created_at', '>=', since)
    .limit(countedMax);
  const { count } = await query
    .selectFrom(listed.as('listed'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** An endpoint with pending deliveries, and when the first of them may be claimed. */
export type WaitingEndpoint = Pick<WebhookEndpointsTable, 'id' | 'status' | 'deleted_at'> & {
  readonly due_at: Timestamp;
};

/**
 * Returns every endpoint with pending deliveries, including disabled and deleted ones. Costs two index lookups for each
 * of them: a recursive query skips from one endpoint to the next. Endpoints without pending deliveries cost nothing.
 */
export async function listWaitingEndpoints({ query }: TenantDb): Promise<WaitingEndpoint[]> {
  const rows = await query
    .withRecursive('waiting(webhook_id)', (db) =>
      db
        .selectFrom('webhook_deliveries')
        .select((eb) => eb.fn.min<string | null>('webhook_id').as('webhook_id'))
        .where('claimable_at', 'is not', null)
        .unionAll(
          db
            .selectFrom('waiting')
            .where('waiting.webhook_id', 'is not', null)
            .select((eb) =>
              eb
                .selectFrom('webhook_deliveries as later')
                .select(({ fn }) => fn.min<string | null>('later.webhook_id').as('next'))
                .where('later.claimable_at', 'is not', null)
                .whereRef('later.webhook_id', '>', 'waiting.webhook_id')
                .as('webhook_id'),
            ),
        ),
    )
    .selectFrom('waiting')
    .innerJoin('webhook_endpoints', 'webhook_endpoints.id', 'waiting.webhook_id')
    .select((eb) => [
      'webhook_endpoints.id',
      'webhook_endpoints.status',
      'webhook_endpoints.deleted_at',
      eb
        .selectFrom('webhook_deliveries')
        .select('claimable_at')
        .whereRef('webhook_deliveries.webhook_id', '=', 'waiting.webhook_id')
        .where('claimable_at', 'is not', null)
        .orderBy('claimable_at')
        .limit(1)
        .as('due_at'),
    ])
    .execute();
  return rows.flatMap(({ due_at, ...row }) => (due_at === null ? [] : [{ ...row, due_at }]));
}

/** Returns when the first pending delivery of a tenant may be claimed, or null. */
export async function findNextDelivery(db: TenantDb): Promise<Timestamp | null> {
  const waiting = await listWaitingEndpoints(db);
  return waiting.map(({ due_at }) => due_at).sort()[0] ?? null;
}

interface Due {
  readonly webhookId: string;
  readonly now: Timestamp;
  readonly limit: number;
}

/** Locks due deliveries of an endpoint, the longest due first. Skips deliveries that another worker has locked. */
export function lockDueDeliveries(tx: TenantTransaction, due: Due): Promise<WebhookDeliveriesTable[]> {
  const query = tx
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', due.webhookId)
    .where('claimable_at', '<=', due.now)
    .orderBy('claimable_at')
    .limit(due.limit);
  return forUpdateSkipLocked(tx, query).execute();
}

/** Leases locked deliveries: no other worker claims them before `leaseEnd`. */
export async function leaseDeliveries(
  tx: TenantTransaction,
  ids: readonly string[],
  leaseId: string,
  leaseEnd: Timestamp,
): Promise<void> {
  const lease = { claimable_at: leaseEnd, lease_id: leaseId };
  await tx
    .updateTable('webhook_deliveries')
    .set(lease)
    .where(isOneOf(tx, 'id', JSON.stringify(ids)))
    .execute();
}

/** Makes deliveries due whose claim time lies after `after`: a clock running ahead has postponed them. */
export async function bringDeliveriesForward(
  { query }: TenantDb,
  webhookIds: readonly string[],
  { after, now }: { readonly after: Timestamp; readonly now: Timestamp },
): Promise<void> {
  await query
    .updateTable('webhook_deliveries')
    .set({ claimable_at: now, lease_id: null })
    .where('webhook_id', 'in', webhookIds)
    .where('claimable_at', '>', after)
    .execute();
}

/** Returns events by their ids. */
export function listEvents(tx: TenantTransaction, ids: readonly string[]): Promise<EventsTable[]> {
  return tx
    .selectFrom('events')
    .selectAll()
    .where(isOneOf(tx, 'id', JSON.stringify(ids)))
    .execute();
}

/** Fails up to `limit` pending deliveries of an endpoint, except those under a lease. Returns how many. */
export async function endWaitingDeliveries(
  tx: TenantTransaction,
  { webhookId, reason, now, limit }: Due & { readonly reason: WebhookDeliveriesTable['failure_reason'] },
): Promise<number> {
  const waiting = tx
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('claimable_at', 'is not', null)
    .where(({ or, eb }) => or([eb('lease_id', 'is', null), eb('claimable_at', '<=', now)]))
    .limit(limit);
  const ids = (await forUpdateSkipLocked(tx, waiting).execute()).map(({ id }) => id);
  if (ids.length === 0) return 0;
  await tx
    .updateTable('webhook_deliveries')
    .set({ ...ended, lease_id: null, status: 'failed', failure_reason: reason })
    .where(isOneOf(tx, 'id', JSON.stringify(ids)))
    .execute();
  return ids.length;
}

/** The columns of a delivery that no attempt follows. */
export const ended = {
  next_trigger: 'schedule',
  next_attempt_at: null,
  resume_at: null,
  claimable_at: null,
} as const;

/** Updates deliveries and releases them. Skips those no longer under this lease. Returns how many were updated. */
export async function updateLeased(
  tx: TenantTransaction,
  ids: readonly string[],
  leaseId: string,
  change: Partial<WebhookDeliveriesTable>,
): Promise<number> {
  if (ids.length === 0) return 0;
  const result = await tx
    .updateTable('webhook_deliveries')
    .set({ ...change, lease_id: null })
    .where(isOneOf(tx, 'id', JSON.stringify(ids)))
    .where('lease_id', '=', leaseId)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Inserts attempts of the past, in the caller's transaction, which has inserted their deliveries. */
export async function createPastAttempts(tx: TenantTransaction, rows: readonly WebhookAttemptsTable[]): Promise<void> {
  await insertRows(tx, 'webhook_attempts', rows);
}
