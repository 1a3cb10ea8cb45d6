import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { EventsTable, WebhookAttemptsTable, WebhookDeliveriesTable } from '../../../db/tables/tenant/webhooks.ts';
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

/** Returns a delivery, or undefined. */
export function findDelivery(db: TenantDb, id: string): Promise<WebhookDeliveriesTable | undefined> {
  return db.query.selectFrom('webhook_deliveries').selectAll().where('id', '=', id).executeTakeFirst();
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

/** Reads a delivery and locks it until the transaction ends. */
export function lockDelivery(tx: TenantTransaction, id: string): Promise<WebhookDeliveriesTable | undefined> {
  return forUpdate(tx, tx.selectFrom('webhook_deliveries').selectAll().where('id', '=', id)).executeTakeFirst();
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
  { webhookId, since, until, types }: RecoveryRange,
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
