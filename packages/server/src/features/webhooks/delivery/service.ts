import type { TenantDb } from '../../../db/database.ts';
import { deleteExpired } from '../../../db/expired-rows.ts';
import { findRow, lockRow } from '../../../db/rows.ts';
import type { WebhookDeliveriesTable, WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import { toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { AppError, orThrow, validationError } from '../../../lib/error.ts';
import type { TenantWorkServices } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { recordAudit } from '../../tenant-core/audit/audit.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { deleteEvents, deliverEvents, type EventPosition, recordTestEvent } from '../../tenant-core/events/service.ts';
import type { RetentionRule, TrimBatch } from '../../tenant-core/retention/retention.ts';
import { messageTimestamp } from '../endpoints/secrets.ts';
import {
  assertEnabled,
  auditOf,
  countWebhooksByStatus,
  lockEnabled,
  lockExisting,
  readWebhook,
  removeDeletedWebhooks,
} from '../endpoints/service.ts';
import {
  countDeliveries,
  countRecoverableEvents,
  listAttempts,
  listDeliveries,
  listLastAttempts,
  listRecoverableEvents,
  type RecoveryRange,
  readEvent,
  restartDeliveries,
  updateDeliveryRow,
} from './queries.ts';
import type { DeliveriesQuery, Delivery, DeliverySummary, RecoverWebhook } from './schemas.ts';
import { messageBody, messageMediaType } from './sender.ts';

export { createPastAttempts } from './queries.ts';

/** Rows per transaction. A batch takes about ten milliseconds, and an embedded database serves nothing else meanwhile. */
const batchSize = 500;

/** Returns a page of deliveries with their last attempts. */
export async function readDeliveries({ db }: Tenant, filters: DeliveriesQuery): Promise<Page<DeliverySummary>> {
  const page = toPage(await listDeliveries(db, filters), filters.limit);
  if (page.rows.length === 0) return { ...page, rows: [] };
  const last = await listLastAttempts(
    db,
    page.rows.map(({ id }) => id),
  );
  const attempts = new Map(last.map(({ delivery_id, ...attempt }) => [delivery_id, attempt]));
  return {
    ...page,
    rows: page.rows.map((row) => ({ ...presentFields(row), last_attempt: attempts.get(row.id) ?? null })),
  };
}

/** Returns a delivery with its attempts. Throws 404. */
export async function readDelivery(tenant: Tenant, id: string): Promise<Delivery> {
  const row = orThrow(await findRow(tenant.db.query, 'webhook_deliveries', id), deliveryNotFound);
  const event = await readEvent(tenant.db, row.event_id);
  const attempts = await listAttempts(tenant.db, id);
  return {
    ...presentFields(row),
    request_body: messageBody(event, tenant.id),
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
  const webhookId = orThrow((await findRow(tenant.db.query, 'webhook_deliveries', id))?.webhook_id, deliveryNotFound);
  await transactWithEvents(services, tenant, async (tx, outbox) => {
    await lockEnabled(tx, webhookId);
    const before = orThrow(await lockRow(tx, 'webhook_deliveries', id), deliveryNotFound);
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

/**
 * Sends the events of a time range that an endpoint has not received: events whose delivery failed, and events from
 * before it subscribed or while it was disabled. Events are stored only while the tenant has an endpoint, so older ones
 * cannot be recovered. Delivered and pending events are skipped, and so are test events.
 *
 * Works in batches, one transaction each; a repeated call continues after an interruption. Returns how many events are
 * sent, or would be sent with `dry_run`. Throws 404, 409 `WEBHOOK.DISABLED`, and 422 for an empty range.
 */
export async function recoverWebhook(
  services: TenantWorkServices,
  tenant: Tenant,
  actor: Actor,
  id: string,
  input: RecoverWebhook,
): Promise<number> {
  const endpoint = await readWebhook(tenant.db, id);
  assertEnabled(endpoint);
  const range = rangeOf(endpoint, input, services.clock.now());
  if (input.dry_run === true) return await countRecoverableEvents(tenant.db, range);
  let count = 0;
  for (;;) {
    const recovered = await recoverBatch(services, tenant, actor, range, count === 0);
    count += recovered;
    if (recovered < batchSize) return count;
  }
}

function rangeOf(endpoint: WebhookEndpointsTable, input: RecoverWebhook, now: string): RecoveryRange {
  const since = toStoredTimestamp(input.since);
  // At most now: later events are delivered anyway, and the batches must come to an end.
  const until = input.until == null ? now : toStoredTimestamp(input.until);
  if (until <= since) throw validationError({ field: input.until == null ? 'since' : 'until', message: rangeMessage });
  const events: string[] = JSON.parse(endpoint.events_json);
  const types = events[0] === '*' ? null : events;
  const { id: webhookId, product_id: productId } = endpoint;
  return { webhookId, since, until: until < now ? until : now, types, productId };
}

const rangeMessage = 'must leave a range in the past: since must be before until and not in the future';

function recoverBatch(
  services: TenantWorkServices,
  tenant: Tenant,
  actor: Actor,
  range: RecoveryRange,
  isFirst: boolean,
): Promise<number> {
  return transactWithEvents(services, tenant, async (tx, outbox) => {
    assertEnabled(await lockExisting(tx, range.webhookId));
    const events = await listRecoverableEvents(tx, range, batchSize);
    if (events.length === 0) return 0;
    const at = services.clock.now();
    outbox.expectDeliveries();
    await restartDeliveries(
      tx,
      events.flatMap(({ delivery_id }) => delivery_id ?? []),
      at,
    );
    const missing = events.filter(({ delivery_id }) => delivery_id === null);
    if (missing.length > 0) await deliverEvents(tx, missing, range.webhookId, at);
    if (isFirst) {
      const changes = (['since', 'until'] as const).map((field) => ({ field, old: null, new: range[field] }));
      await recordAudit(tx, actor, { ...auditOf(range.webhookId, 'WEBHOOK.RECOVERED'), changes, at });
    }
    return events.length;
  });
}

const shownFailures = 5;

/** Returns the endpoints by status, the deliveries since a time by status, and the five newest permanent failures. */
export async function readWebhookHealth(db: TenantDb, since: Timestamp) {
  const failed = await listDeliveries(db, { status: 'failed', limit: shownFailures });
  const { rows: failures } = toPage(failed, shownFailures);
  return {
    endpoints: await countWebhooksByStatus(db),
    deliveries_of_last_day: {
      pending: await countDeliveries(db, 'pending', since),
      succeeded: await countDeliveries(db, 'succeeded', since),
      failed: await countDeliveries(db, 'failed', since),
    },
    last_failures: failures.map(({ id, webhook_id, event_type, failure_reason, created_at }) => ({
      delivery_id: id,
      webhook_id,
      event_type,
      failure_reason,
      created_at,
    })),
  };
}

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
