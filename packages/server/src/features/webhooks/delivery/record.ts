import type { TenantTransaction } from '../../../db/database.ts';
import type { WebhookDeliveriesTable, WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { newId } from '../../../lib/ids.ts';
import { retryDelayMs, retrySchedules } from '../../../lib/retry-schedule.ts';
import { type Outbox, transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { endFailureStreaks, lockForFailures, recordFailedDeliveries } from '../endpoints/health-service.ts';
import type { Outcome } from './call.ts';
import type { Run } from './claim.ts';
import { createPastAttempts, ended, updateLeased } from './queries.ts';

/** Weight of a failure in a batch. Each failure is a separate statement, while successes share one. */
const failureWeight = 4;
const gone = 410;

/** Collects outcomes and writes them in batches, one batch at a time. */
export class Recorder {
  readonly #flushSize: number;
  readonly #write: (batch: readonly Outcome[]) => Promise<void>;
  #waiting: Outcome[] = [];
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

  /** Collects an outcome. It is written at most `delayMs` milliseconds later, or after the current write. */
  add(outcome: Outcome, delayMs: number): void {
    this.#waiting.push(outcome);
    this.#size += outcome.attempt?.result.error === null ? 1 : failureWeight;
    if (this.#size >= this.#flushSize) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), delayMs);
  }

  /** Writes the collected outcomes. During a write the next batch is collected. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0 || this.#writing !== undefined) return;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#size = 0;
    this.#writing = this.#write(batch).finally(() => {
      this.#writing = undefined;
      this.flush();
    });
  }
}

/**
 * Records a batch of outcomes in one transaction: the attempts, the new state of each delivery, and the failure streaks
 * of the endpoints. `random` returns a number in 0..1 that spreads retries.
 */
export async function recordOutcomes(run: Run, outcomes: readonly Outcome[], random: () => number): Promise<void> {
  const { services, tenant } = run;
  await tenant.withDb((db) =>
    transactWithEvents(services, { id: tenant.id, db }, (tx, outbox) => record(tx, outbox, run, outcomes, random)),
  );
}

/** Deadlock-free: every transaction locks endpoints before deliveries. */
async function record(
  tx: TenantTransaction,
  outbox: Outbox,
  { services, leaseId }: Run,
  outcomes: readonly Outcome[],
  random: () => number,
): Promise<void> {
  const at = services.clock.now();
  const sent = outcomes.flatMap(({ delivery, attempt }) => (attempt === null ? [] : [{ delivery, ...attempt }]));
  const unsent = outcomes.filter(({ attempt }) => attempt === null).map(({ delivery }) => delivery);
  const succeeded = sent.filter(({ result }) => result.error === null).map(({ delivery }) => delivery);
  const failed = sent
    .filter(({ result }) => result.error !== null)
    .map(({ delivery, result }) => ({ delivery, ...afterFailedAttempt(delivery, result, at, random()) }));
  const counted = failed.filter(({ exhausts, gone: isGone }) => exhausts || isGone);
  const endpoints = await lockEndpointsOf(
    tx,
    counted.map(({ delivery }) => delivery),
  );
  if (succeeded.length > 0) await endFailureStreaks(tx, [...new Set(succeeded.map(({ webhook_id }) => webhook_id))]);
  await updateLeased(tx, idsOf(succeeded), leaseId, { ...ended, status: 'succeeded', failure_reason: null });
  const lost = new Set<string>();
  for (const { delivery, change } of failed) {
    if ((await updateLeased(tx, [delivery.id], leaseId, change)) === 0) lost.add(delivery.id);
  }
  await updateLeased(tx, idsOf(unsent), leaseId, { claimable_at: at });
  const attempts = sent.map(({ delivery, at: startedAt, result }) => ({
    id: newId(),
    delivery_id: delivery.id,
    at: startedAt,
    trigger: delivery.next_trigger,
    response_status: result.responseStatus,
    duration_ms: result.durationMs,
    error: result.error,
    response_body: result.responseBody,
  }));
  if (attempts.length > 0) await createPastAttempts(tx, attempts);
  for (const endpoint of endpoints) {
    const own = counted.filter(({ delivery }) => delivery.webhook_id === endpoint.id && !lost.has(delivery.id));
    const isGone = own.some((one) => one.gone);
    const exhausted = own.filter(({ exhausts }) => exhausts).length;
    await recordFailedDeliveries(tx, outbox, endpoint, { isGone, exhausted, at });
  }
}

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

/** Locks the endpoints whose failures may count towards disabling them. Failures that are retried do not count. */
async function lockEndpointsOf(
  tx: TenantTransaction,
  deliveries: readonly WebhookDeliveriesTable[],
): Promise<WebhookEndpointsTable[]> {
  const ids = new Set(deliveries.map(({ webhook_id }) => webhook_id));
  return ids.size === 0 ? [] : await lockForFailures(tx, [...ids]);
}

/** The consequences of a failed attempt. */
interface FailedAttempt {
  readonly change: Partial<WebhookDeliveriesTable>;
  /** True if this was the last scheduled attempt. The failure then counts towards disabling the endpoint. */
  readonly exhausts: boolean;
  /** True if the endpoint responded with 410 Gone. */
  readonly gone: boolean;
}

/**
 * Decides what follows a failed attempt that ended at `at`. A manual attempt does not advance the schedule. `random` is
 * in 0..1 and spreads retries.
 */
export function afterFailedAttempt(
  delivery: Pick<WebhookDeliveriesTable, 'next_trigger' | 'scheduled_attempts' | 'resume_at'>,
  result: { readonly responseStatus: number | null; readonly retryAfterMs: number | null },
  at: Timestamp,
  random: number,
): FailedAttempt {
  const isManual = delivery.next_trigger === 'manual';
  const scheduled_attempts = delivery.scheduled_attempts + (isManual ? 0 : 1);
  const failed = { ...ended, status: 'failed', scheduled_attempts } as const;
  if (result.responseStatus === gone) {
    return { change: { ...failed, failure_reason: 'endpoint_disabled' }, exhausts: false, gone: true };
  }
  const delayMs = deliveryRetryMs(scheduled_attempts, random, result.retryAfterMs);
  const scheduled = delayMs === null ? null : addSeconds(at, delayMs / 1000);
  const next = isManual ? delivery.resume_at : scheduled;
  if (next === null) {
    return { change: { ...failed, failure_reason: 'attempts_exhausted' }, exhausts: !isManual, gone: false };
  }
  const due = { next_attempt_at: next, claimable_at: next };
  const change = { ...ended, ...due, status: 'pending', failure_reason: null, scheduled_attempts } as const;
  return { change, exhausts: false, gone: false };
}

/**
 * Returns the wait in milliseconds after `attempts` scheduled attempts have failed, or null if no attempt follows.
 * `random` is in 0..1 and spreads the wait. `Retry-After` is honoured between one and two scheduled waits.
 */
export function deliveryRetryMs(attempts: number, random: number, retryAfterMs: number | null): number | null {
  if (retryAfterMs === null) return retryDelayMs(retrySchedules.webhook, attempts, random);
  const delayMs = retryDelayMs(retrySchedules.webhook, attempts);
  return delayMs === null ? null : Math.min(Math.max(retryAfterMs, delayMs), 2 * delayMs);
}
