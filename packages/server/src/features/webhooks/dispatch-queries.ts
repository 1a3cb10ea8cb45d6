import type { TenantDb, TenantTransaction } from '../../db/database.ts';
import { forUpdate, forUpdateSkipLocked } from '../../db/dialect.ts';
import { insertRows } from '../../db/insert-rows.ts';
import type {
  EventsTable,
  WebhookAttemptsTable,
  WebhookDeliveriesTable,
  WebhookEndpointsTable,
} from '../../db/webhook-tables.ts';
import type { Timestamp } from '../../lib/clock.ts';

/** An endpoint for which deliveries wait, and when the first of them may be taken. */
export type WaitingEndpoint = WebhookEndpointsTable & { readonly due_at: Timestamp };

/** Every endpoint for which deliveries wait, disabled and deleted ones too: one look into the index for each. */
export async function listWaitingEndpoints(db: TenantDb): Promise<WaitingEndpoint[]> {
  const rows = await db.query
    .selectFrom('webhook_endpoints')
    .selectAll('webhook_endpoints')
    .select((eb) =>
      eb
        .selectFrom('webhook_deliveries')
        .select('claimable_at')
        .whereRef('webhook_deliveries.webhook_id', '=', 'webhook_endpoints.id')
        .where('claimable_at', 'is not', null)
        .orderBy('claimable_at')
        .limit(1)
        .as('due_at'),
    )
    .execute();
  return rows.flatMap(({ due_at, ...row }) => (due_at === null ? [] : [{ ...row, due_at }]));
}

/** When the first delivery of a tenant may be taken that waits; null when none does. */
export async function findNextDelivery(db: TenantDb): Promise<Timestamp | null> {
  const waiting = await listWaitingEndpoints(db);
  return waiting.map(({ due_at }) => due_at).sort()[0] ?? null;
}

interface Claim {
  readonly webhookId: string;
  readonly leaseId: string;
  readonly leaseEnd: Timestamp;
  readonly now: Timestamp;
  readonly limit: number;
}

/** Takes deliveries of an endpoint that are due, the longest waiting first; what another worker has is passed over. */
export async function claimDeliveries(tx: TenantTransaction, claim: Claim): Promise<WebhookDeliveriesTable[]> {
  const due = tx
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', claim.webhookId)
    .where('claimable_at', '<=', claim.now)
    .orderBy('claimable_at')
    .limit(claim.limit);
  const rows = await forUpdateSkipLocked(tx, due).execute();
  if (rows.length === 0) return rows;
  const ids = rows.map(({ id }) => id);
  const lease = { claimable_at: claim.leaseEnd, lease_id: claim.leaseId };
  await tx.updateTable('webhook_deliveries').set(lease).where('id', 'in', ids).execute();
  return rows;
}

export function listEvents(tx: TenantTransaction, ids: readonly string[]): Promise<EventsTable[]> {
  return tx.selectFrom('events').selectAll().where('id', 'in', ids).execute();
}

/** Ends deliveries that wait for an endpoint to which nothing is sent, but not those that are being sent. */
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
    .where('id', 'in', ids)
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

/** Writes that deliveries succeeded, as far as this lease still holds them. */
export async function completeDeliveries(
  tx: TenantTransaction,
  ids: readonly string[],
  leaseId: string,
): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set({ ...ended, status: 'succeeded', failure_reason: null })
    .where('id', 'in', ids)
    .where('lease_id', '=', leaseId)
    .execute();
}

/** Gives deliveries back that could not be sent within the lease. */
export async function releaseDeliveries(
  tx: TenantTransaction,
  ids: readonly string[],
  leaseId: string,
  now: Timestamp,
): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set({ claimable_at: now, lease_id: null })
    .where('id', 'in', ids)
    .where('lease_id', '=', leaseId)
    .execute();
}

/** Writes how a delivery goes on after a failure. False when the lease was lost: another worker decides then. */
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

export async function createAttemptRows(tx: TenantTransaction, rows: readonly WebhookAttemptsTable[]): Promise<void> {
  await insertRows(tx, 'webhook_attempts', rows);
}

/** Reads endpoints in the order of ids and keeps others from changing them until the transaction ends. */
export function lockEndpoints(tx: TenantTransaction, ids: readonly string[]): Promise<WebhookEndpointsTable[]> {
  return forUpdate(tx, tx.selectFrom('webhook_endpoints').selectAll().where('id', 'in', ids).orderBy('id')).execute();
}
