import type { TenantTransaction } from '../../../db/database.ts';
import type {
  WebhookAttemptsTable,
  WebhookDeliveriesTable,
  WebhookEndpointsTable,
} from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import { type Outbox, transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { endFailureStreaks, lockForFailures, recordFailedDeliveries } from '../endpoints/failures-service.ts';
import type { DispatchServices, DispatchTenant } from './dispatch.ts';
import { completeDeliveries, createAttemptRows, releaseDeliveries, updateLeasedDelivery } from './dispatch-queries.ts';
import { afterFailedAttempt, type FailedAttempt } from './outcome.ts';
import type { SendResult } from './sender.ts';

/** The outcome of a claimed delivery. */
export interface Handled {
  readonly delivery: WebhookDeliveriesTable;
  /** Null if the delivery was not sent, or not completely; it is then released. */
  readonly attempt: { readonly at: Timestamp; readonly result: SendResult } | null;
}

interface Recording {
  readonly leaseId: string;
  readonly at: Timestamp;
  /** Returns a number in 0..1 that spreads retries. */
  readonly random: () => number;
}

/** Records a batch of outcomes in a transaction of its own. */
export async function writeResults(
  services: DispatchServices,
  tenant: DispatchTenant,
  handled: readonly Handled[],
  { leaseId, random }: Omit<Recording, 'at'>,
): Promise<void> {
  await tenant.withDb((db) =>
    transactWithEvents(services, { id: tenant.id, db }, (tx, outbox) =>
      recordResults(tx, outbox, handled, { leaseId, at: services.clock.now(), random }),
    ),
  );
}

interface Failed extends FailedAttempt {
  readonly delivery: WebhookDeliveriesTable;
}

/**
 * Records a batch of outcomes in the caller's transaction: the attempts, the new state of each delivery, and the
 * failure streaks of the endpoints. Deadlock-free: every transaction locks endpoints before deliveries.
 */
async function recordResults(
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
  if (succeeded.length > 0) await endFailureStreaks(tx, [...new Set(succeeded.map(({ webhook_id }) => webhook_id))]);
  if (succeeded.length > 0) await completeDeliveries(tx, idsOf(succeeded), leaseId);
  const decided = await recordFailures(tx, failed, leaseId);
  const unsent = handled.filter(({ attempt }) => attempt === null).map(({ delivery }) => delivery);
  if (unsent.length > 0) await releaseDeliveries(tx, idsOf(unsent), leaseId, at);
  if (sent.length > 0) await createAttemptRows(tx, sent.map(attemptRow));
  for (const endpoint of endpoints) {
    const own = decided.filter(({ delivery }) => delivery.webhook_id === endpoint.id);
    const isGone = own.some(({ gone }) => gone);
    const exhausted = own.filter(({ exhausts }) => exhausts).length;
    await recordFailedDeliveries(tx, outbox, endpoint, { isGone, exhausted, at });
  }
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

/** Locks the endpoints whose failures may count towards disabling them. Failures that are retried do not count. */
async function lockEndpointsOf(tx: TenantTransaction, failed: readonly Failed[]): Promise<WebhookEndpointsTable[]> {
  const ids = new Set(failed.filter(({ exhausts, gone }) => exhausts || gone).map((one) => one.delivery.webhook_id));
  return ids.size === 0 ? [] : await lockForFailures(tx, [...ids]);
}

/** Updates failed deliveries. Returns those whose lease this run still held. */
async function recordFailures(tx: TenantTransaction, failed: readonly Failed[], leaseId: string): Promise<Failed[]> {
  const decided: Failed[] = [];
  for (const failure of failed) {
    if (await updateLeasedDelivery(tx, failure.delivery.id, leaseId, failure.change)) decided.push(failure);
  }
  return decided;
}
