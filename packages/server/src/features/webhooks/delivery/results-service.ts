import type { TenantTransaction } from '../../../db/database.ts';
import type {
  WebhookAttemptsTable,
  WebhookDeliveriesTable,
  WebhookEndpointsTable,
} from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import { type Outbox, transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { endFailureStreaks, lockForFailures, recordFailedDeliveries } from '../endpoints/health-service.ts';
import type { DispatchTenant } from './dispatch.ts';
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
  services: Services,
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

/** Updates failed deliveries whose lease this run still holds, and returns them. */
async function recordFailures(tx: TenantTransaction, failed: readonly Failed[], leaseId: string): Promise<Failed[]> {
  const decided: Failed[] = [];
  for (const failure of failed) {
    if (await updateLeasedDelivery(tx, failure.delivery.id, leaseId, failure.change)) decided.push(failure);
  }
  return decided;
}

/** The outcome of a claimed delivery. */
export interface Outcome {
  readonly handled: Handled;
  /** True if the delivery had released its slot of the run. */
  readonly isDetached: boolean;
}

/** Weight of a failure in a batch. Each failure is a separate statement, while successes share one. */
const failureWeight = 4;

/** Collects outcomes and writes them in batches, one batch at a time. */
export class Recorder {
  readonly #flushSize: number;
  readonly #write: (batch: readonly Outcome[]) => Promise<void>;
  #waiting: Outcome[] = [];
  #heldCount = 0;
  #size = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  /**
   * `write` receives the collected outcomes as soon as there are `flushSize` successes: batches save commits, each of
   * which waits for the disk. `write` must not reject.
   */
  constructor(flushSize: number, write: (batch: readonly Outcome[]) => Promise<void>) {
    this.#flushSize = flushSize;
    this.#write = write;
  }

  /** Number of collected outcomes whose deliveries hold a slot. */
  get heldCount(): number {
    return this.#heldCount;
  }

  /** Collects an outcome. It is written at most `delayMs` milliseconds later, or after the current write. */
  add(outcome: Outcome, delayMs: number): void {
    this.#waiting.push(outcome);
    if (!outcome.isDetached) this.#heldCount += 1;
    this.#size += outcome.handled.attempt?.result.error === null ? 1 : failureWeight;
    if (this.#size >= this.#flushSize) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), delayMs);
  }

  /** Writes the collected outcomes. During a write the next batch is collected. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    this.#writing ??= this.#writeWaiting().finally(() => {
      this.#writing = undefined;
      this.flush();
    });
  }

  #writeWaiting(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#heldCount = 0;
    this.#size = 0;
    return this.#write(batch);
  }
}
