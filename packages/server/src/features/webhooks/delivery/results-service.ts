import type { TenantTransaction } from '../../../db/database.ts';
import type {
  WebhookAttemptsTable,
  WebhookDeliveriesTable,
  WebhookEndpointsTable,
} from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import { systemActor } from '../../../tenancy/system-actor.ts';
import { changedFields, recordAudit } from '../../tenant-core/audit/audit.ts';
import type { Outbox } from '../../tenant-core/events/outbox.ts';
import { clearFailures, updateWebhookRow } from '../endpoints/queries.ts';
import { auditOf } from '../endpoints/service.ts';
import { presentWebhook } from '../endpoints/webhook.ts';
import { afterFailure } from './disabling.ts';
import {
  completeDeliveries,
  createAttemptRows,
  lockEndpoints,
  releaseDeliveries,
  updateLeasedDelivery,
} from './dispatch-queries.ts';
import { afterFailedAttempt, type FailedAttempt } from './outcome.ts';
import type { SendResult } from './sender.ts';

/** What became of a delivery that a run had claimed. */
export interface Handled {
  readonly delivery: WebhookDeliveriesTable;
  /** Null: there was no time to send it to its end, and it is given back. */
  readonly attempt: { readonly at: Timestamp; readonly result: SendResult } | null;
}

interface Recording {
  readonly leaseId: string;
  readonly at: Timestamp;
  readonly random: () => number;
}

interface Failed extends FailedAttempt {
  readonly delivery: WebhookDeliveriesTable;
}

/**
 * Writes a batch of results in the caller's transaction: the attempts, how each delivery goes on, and what that means
 * for its endpoint. Endpoints are changed before deliveries everywhere, so that two transactions never wait in a ring.
 */
export async function recordResults(
  tx: TenantTransaction,
  outbox: Outbox,
  handled: readonly Handled[],
  recording: Recording,
): Promise<void> {
  const { leaseId, at, random } = recording;
  const sent = handled.flatMap(({ delivery, attempt }) => (attempt === null ? [] : [{ delivery, ...attempt }]));
  const succeeded = sent.filter(({ result }) => result.error === null).map(({ delivery }) => delivery);
  const failed = sent
    .filter(({ result }) => result.error !== null)
    .map(({ delivery, result }): Failed => ({ delivery, ...afterFailedAttempt(delivery, result, at, random()) }));
  const endpoints = await lockEndpointsOf(tx, failed);
  if (succeeded.length > 0) await clearFailures(tx, [...new Set(succeeded.map(({ webhook_id }) => webhook_id))]);
  if (succeeded.length > 0) await completeDeliveries(tx, idsOf(succeeded), leaseId);
  const decided = await recordFailures(tx, failed, leaseId);
  const unsent = handled.filter(({ attempt }) => attempt === null).map(({ delivery }) => delivery);
  if (unsent.length > 0) await releaseDeliveries(tx, idsOf(unsent), leaseId, at);
  if (sent.length > 0) await createAttemptRows(tx, sent.map(attemptRow));
  for (const endpoint of endpoints) await judge(tx, outbox, endpoint, decided, at);
}

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

function attemptRow(sent: {
  readonly delivery: WebhookDeliveriesTable;
  readonly at: Timestamp;
  readonly result: SendResult;
}): WebhookAttemptsTable {
  const { delivery, at, result } = sent;
  return {
    id: newId(),
    delivery_id: delivery.id,
    at,
    trigger: delivery.next_trigger,
    response_status: result.responseStatus,
    duration_ms: result.durationMs,
    error: result.error,
    response_body: result.responseBody,
  };
}

/** Most failures are tried again, and then their endpoint is none of our business. */
async function lockEndpointsOf(tx: TenantTransaction, failed: readonly Failed[]): Promise<WebhookEndpointsTable[]> {
  const ids = new Set(failed.filter(({ exhausts, gone }) => exhausts || gone).map((one) => one.delivery.webhook_id));
  return ids.size === 0 ? [] : await lockEndpoints(tx, [...ids]);
}

/** Answers those that this run had the right to decide. */
async function recordFailures(tx: TenantTransaction, failed: readonly Failed[], leaseId: string): Promise<Failed[]> {
  const decided: Failed[] = [];
  for (const failure of failed) {
    if (await updateLeasedDelivery(tx, failure.delivery.id, leaseId, failure.change)) decided.push(failure);
  }
  return decided;
}

/** Counts the failures of an endpoint, and disables it when they are too many or when it is gone. */
async function judge(
  tx: TenantTransaction,
  outbox: Outbox,
  before: WebhookEndpointsTable,
  decided: readonly Failed[],
  at: Timestamp,
): Promise<void> {
  if (before.status === 'disabled' || before.deleted_at !== null) return;
  const own = decided.filter(({ delivery }) => delivery.webhook_id === before.id);
  if (own.some(({ gone }) => gone)) return await disable(tx, outbox, before, 'gone', at);
  let streak = { ...before, disables: false };
  for (const { exhausts } of own) if (exhausts) streak = { ...streak, ...afterFailure(streak, at) };
  const { disables, ...after } = streak;
  if (disables) await disable(tx, outbox, after, 'failing', at);
  else await updateWebhookRow(tx, after);
}

const explanations = {
  gone: 'answered 410 Gone, which says that it takes no more events.',
  failing: 'failed at least ten deliveries in a row over a day or more.',
} as const;

async function disable(
  tx: TenantTransaction,
  outbox: Outbox,
  before: WebhookEndpointsTable,
  reason: 'gone' | 'failing',
  at: Timestamp,
): Promise<void> {
  const row: WebhookEndpointsTable = { ...before, status: 'disabled', disabled_reason: reason, updated_at: at };
  await updateWebhookRow(tx, row);
  const changes = changedFields(before, row, ['status', 'disabled_reason']);
  await recordAudit(tx, systemActor, { ...auditOf(row.id, 'WEBHOOK.DISABLED'), changes, at });
  await outbox.notify({
    type: 'webhook.disabled',
    severity: 'critical',
    title: 'A webhook endpoint was disabled',
    // Only the host: paths and queries of such URLs often hold a secret.
    body: `The endpoint ${row.id} at ${new URL(row.url).host} ${explanations[reason]} Enable it once it works again, and recover what it missed.`,
    occurrence: `webhook.disabled:${row.id}:${at}`,
    isUrgent: true,
    at,
  });
  await outbox.record({ type: 'webhook.disabled', data: () => presentWebhook(row), requestId: null, at });
}
