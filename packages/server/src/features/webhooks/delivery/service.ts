import type { TenantTransaction } from '../../../db/database.ts';
import type { EventsTable, WebhookAttemptsTable, WebhookDeliveriesTable } from '../../../db/tables/tenant/webhooks.ts';
import { toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { AppError } from '../../../lib/error.ts';
import type { TenantWorkServices } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { recordAudit } from '../../tenant-core/audit/audit.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { deleteEvents, type EventPosition, recordTestEvent } from '../../tenant-core/events/service.ts';
import { deleteExpired, type RetentionRule, type TrimBatch } from '../../tenant-core/retention/retention.ts';
import { assertEnabled, auditOf, lockEnabled, lockExisting, removeDeletedWebhooks } from '../endpoints/service.ts';
import { createAttemptRows } from './dispatch-queries.ts';
import {
  findDelivery,
  listAttempts,
  listDeliveries,
  listLastAttempts,
  lockDelivery,
  readEvent,
  updateDeliveryRow,
} from './queries.ts';
import type { AttemptSummary, DeliveriesQuery, Delivery, DeliverySummary } from './schemas.ts';
import { messageBody, messageMediaType, messageTimestamp } from './signature.ts';

/** Returns a page of deliveries with their last attempts. */
export async function readDeliveries({ db }: Tenant, filters: DeliveriesQuery): Promise<Page<DeliverySummary>> {
  const page = toPage(await listDeliveries(db, filters), filters.limit);
  if (page.rows.length === 0) return { ...page, rows: [] };
  const ids = page.rows.map(({ id }) => id);
  return { ...page, rows: presentDeliverySummaries(page.rows, await listLastAttempts(db, ids)) };
}

/** Returns a delivery with its attempts. Throws 404. */
export async function readDelivery(tenant: Tenant, id: string): Promise<Delivery> {
  const row = await findDelivery(tenant.db, id);
  if (row === undefined) throw deliveryNotFound();
  const event = await readEvent(tenant.db, row.event_id);
  return presentDelivery(row, event, tenant.id, await listAttempts(tenant.db, id));
}

/**
 * Makes a manual attempt of a delivery due now, whatever its status. An unfinished schedule continues afterwards.
 * Changes nothing if the delivery is being sent now or if a manual attempt is already pending. Throws 404, and 409
 * `WEBHOOK.DISABLED`.
 */
export async function resendDelivery(
  services: TenantWorkServices,
  tenant: Tenant,
  actor: Actor,
  id: string,
): Promise<Delivery> {
  // Deadlock-free: every transaction locks an endpoint before its deliveries.
  const webhookId = (await findDelivery(tenant.db, id))?.webhook_id;
  if (webhookId === undefined) throw deliveryNotFound();
  await transactWithEvents(services, tenant, async (tx, outbox) => {
    await lockEnabled(tx, webhookId);
    const before = await lockDelivery(tx, id);
    if (before === undefined) throw deliveryNotFound();
    const at = services.clock.now();
    if (isUnderWay(before, at)) return;
    outbox.expectDeliveries();
    await updateDeliveryRow(tx, {
      ...before,
      status: 'pending',
      failure_reason: null,
      next_trigger: 'manual',
      next_attempt_at: at,
      resume_at: before.next_attempt_at,
      claimable_at: at,
      lease_id: null,
    });
    const entry = { event: 'WEBHOOK_DELIVERY.RESENT', resourceType: 'webhook_delivery', resourceId: id, at };
    await recordAudit(tx, actor, entry);
  });
  return await readDelivery(tenant, id);
}

/** Sends an event of type `webhook.test` to an endpoint. Throws 404, and 409 `WEBHOOK.DISABLED`. */
export async function testWebhook(
  services: TenantWorkServices,
  tenant: Tenant,
  actor: Actor,
  id: string,
): Promise<Delivery> {
  const deliveryId = await transactWithEvents(services, tenant, async (tx, outbox) => {
    assertEnabled(await lockExisting(tx, id));
    const at = services.clock.now();
    outbox.expectDeliveries();
    const delivery = await recordTestEvent(tx, id, actor.requestId, at);
    await recordAudit(tx, actor, { ...auditOf(id, 'WEBHOOK.TESTED'), at });
    return delivery.id;
  });
  return await readDelivery(tenant, deliveryId);
}

function isUnderWay(row: WebhookDeliveriesTable, now: string): boolean {
  if (row.status !== 'pending') return false;
  const isLeased = row.lease_id !== null && row.claimable_at !== null && row.claimable_at > now;
  return isLeased || row.next_trigger === 'manual';
}

/** Returns the same error for a delivery that does not exist and for one of another tenant. */
function deliveryNotFound(): AppError {
  const message = 'There is no such delivery. List the webhook deliveries to find its id.';
  return new AppError('RESOURCE.NOT_FOUND', message);
}

function presentFields(row: WebhookDeliveriesTable) {
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    event_id: row.event_id,
    event_type: row.event_type,
    status: row.status,
    failure_reason: row.failure_reason,
    next_attempt_at: row.next_attempt_at,
    created_at: row.created_at,
  };
}

/** Converts deliveries to their API form in lists. `lastAttempts` contains the last attempt of each that has one. */
function presentDeliverySummaries(
  rows: readonly WebhookDeliveriesTable[],
  lastAttempts: readonly (AttemptSummary & { readonly delivery_id: string })[],
): DeliverySummary[] {
  const attempts = new Map(lastAttempts.map(({ delivery_id, ...attempt }) => [delivery_id, attempt]));
  return rows.map((row) => ({ ...presentFields(row), last_attempt: attempts.get(row.id) ?? null }));
}

/** Converts a delivery of a tenant's event to its API form with `attempts`, oldest first. */
function presentDelivery(
  row: WebhookDeliveriesTable,
  event: EventsTable,
  tenantId: string,
  attempts: readonly WebhookAttemptsTable[],
): Delivery {
  return {
    ...presentFields(row),
    request_body: messageBody(event, tenantId),
    attempts: attempts.map(({ id: _id, delivery_id: _deliveryId, ...attempt }) => ({
      ...attempt,
      request_headers: {
        'content-type': messageMediaType,
        'webhook-id': row.event_id,
        'webhook-timestamp': messageTimestamp(attempt.at),
      },
    })),
  };
}

/** Inserts attempts of the past, in the caller's transaction, which has inserted their deliveries. */
export async function createPastAttempts(tx: TenantTransaction, rows: readonly WebhookAttemptsTable[]): Promise<void> {
  await createAttemptRows(tx, rows);
}

/**
 * Rows per transaction. A batch takes about ten milliseconds, and an embedded database serves nothing else meanwhile.
 */
const batchSize = 500;

/** Deletes deliveries and events older than the tenant's `retention_days.deliveries`. */
export const deliveryRetention: RetentionRule = {
  startTrim: ({ now, settings }) => deliveryTrim(addDays(now, -settings.retention_days.deliveries)),
};

/**
 * Returns a function that deletes one batch of the history before a time with each call: completed deliveries with
 * their attempts, then events, then deleted endpoints. Pending deliveries and their events are kept. It returns true if
 * there may be more.
 */
export function deliveryTrim(before: Timestamp): TrimBatch {
  const deliveries = {
    table: 'webhook_deliveries',
    order: ['created_at', 'id'],
    before,
    isNull: 'claimable_at',
  } as const;
  let hasDeliveries = true;
  let after: EventPosition | null = null;
  return (db) =>
    db.transaction(async (tx) => {
      if (hasDeliveries) {
        hasDeliveries = (await deleteExpired(tx, deliveries, batchSize)) === batchSize;
        return true;
      }
      after = await deleteEvents(tx, { before, after, limit: batchSize });
      if (after === null) await removeDeletedWebhooks(tx, before);
      return after !== null;
    });
}
