import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { WebhookAttemptsTable, WebhookDeliveriesTable } from '../../../db/tables/tenant/webhooks.ts';
import { paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { DeliveriesQuery } from './schemas.ts';

const equalFilters = ['webhook_id', 'status', 'event_type'] as const;

export function listDeliveries(db: TenantDb, filters: DeliveriesQuery): Promise<WebhookDeliveriesTable[]> {
  let query = db.query.selectFrom('webhook_deliveries').selectAll();
  for (const column of equalFilters) {
    const value = filters[column];
    if (value !== undefined) query = query.where(column, '=', value);
  }
  return paginate(query, filters).execute();
}

export function findDelivery(db: TenantDb, id: string): Promise<WebhookDeliveriesTable | undefined> {
  return db.query.selectFrom('webhook_deliveries').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Far more than the schedule makes; only who sends again by hand for hours gets there. */
const attemptsShown = 100;

/** The last attempts of a delivery, oldest first. */
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

/** Reads a delivery and keeps others from changing it until the transaction ends. */
export function lockDelivery(tx: TenantTransaction, id: string): Promise<WebhookDeliveriesTable | undefined> {
  return forUpdate(tx, tx.selectFrom('webhook_deliveries').selectAll().where('id', '=', id)).executeTakeFirst();
}

export async function updateDeliveryRow(tx: TenantTransaction, row: WebhookDeliveriesTable): Promise<void> {
  await tx.updateTable('webhook_deliveries').set(row).where('id', '=', row.id).execute();
}

/** Which events to send to an endpoint again. */
export interface RecoveryRange {
  readonly webhookId: string;
  readonly since: Timestamp;
  /** Exclusive. */
  readonly until: Timestamp;
  /** Null: every type. */
  readonly types: readonly string[] | null;
}

/** An event that an endpoint never got (`delivery_id` is null), or whose delivery to it failed. */
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
    // A test is over when it is over.
    .where('events.type', '!=', 'webhook.test')
    .where(({ or, eb }) => or([eb('delivery.id', 'is', null), eb('delivery.status', '=', 'failed')]));
  if (types !== null) query = query.where('events.type', 'in', types);
  return query;
}

export async function countRecoverableEvents(db: TenantDb, range: RecoveryRange): Promise<number> {
  const { count } = await recoverableEvents(db.query, range)
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The oldest of them, in the order of time. */
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

/** Begins the schedule of failed deliveries anew. */
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
