import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdateSkipLocked, listOf } from '../../../db/dialect.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import type {
  EventsTable,
  WebhookAttemptsTable,
  WebhookDeliveriesTable,
  WebhookEndpointsTable,
} from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';

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
  await tx.updateTable('webhook_deliveries').set(lease).where('id', 'in', listOf(tx, ids)).execute();
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
  return tx.selectFrom('events').selectAll().where('id', 'in', listOf(tx, ids)).execute();
}

/** Fails up to `limit` pending deliveries of an endpoint, except those under a lease. Returns how many. */
export async function endWaitingDeliveries(
  tx: TenantTransaction,
  { webhookId, reason, now, limit }: EndWaiting,
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
    .set({ ...ended, status: 'failed', failure_reason: reason })
    .where('id', 'in', listOf(tx, ids))
    .execute();
  return ids.length;
}

interface EndWaiting {
  readonly webhookId: string;
  readonly reason: WebhookDeliveriesTable['failure_reason'];
  readonly now: Timestamp;
  readonly limit: number;
}

const ended = {
  next_trigger: 'schedule',
  next_attempt_at: null,
  resume_at: null,
  claimable_at: null,
  lease_id: null,
} as const;

/** Marks deliveries as succeeded, except deliveries that are no longer under this lease. */
export async function completeDeliveries(
  tx: TenantTransaction,
  ids: readonly string[],
  leaseId: string,
): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set({ ...ended, status: 'succeeded', failure_reason: null })
    .where('id', 'in', listOf(tx, ids))
    .where('lease_id', '=', leaseId)
    .execute();
}

/** Releases deliveries that were not sent, so that they are due now. Skips those no longer under this lease. */
export async function releaseDeliveries(
  tx: TenantTransaction,
  ids: readonly string[],
  leaseId: string,
  now: Timestamp,
): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set({ claimable_at: now, lease_id: null })
    .where('id', 'in', listOf(tx, ids))
    .where('lease_id', '=', leaseId)
    .execute();
}

/** Updates a delivery after a failure. Returns false, and changes nothing, if the lease was lost to another worker. */
export async function updateLeasedDelivery(
  tx: TenantTransaction,
  id: string,
  leaseId: string,
  change: Partial<WebhookDeliveriesTable>,
): Promise<boolean> {
  const result = await tx
    .updateTable('webhook_deliveries')
    .set({ ...change, lease_id: null })
    .where('id', '=', id)
    .where('lease_id', '=', leaseId)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Inserts attempts. */
export async function createAttemptRows(tx: TenantTransaction, rows: readonly WebhookAttemptsTable[]): Promise<void> {
  await insertRows(tx, 'webhook_attempts', rows);
}
