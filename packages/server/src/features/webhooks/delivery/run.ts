import { setTimeout as delay } from 'node:timers/promises';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Services } from '../../../services.ts';
import { Claiming } from './claiming.ts';
import type { DispatchOptions, DispatchTenant } from './dispatch.ts';
import { slotsForUnhealthy } from './quotas.ts';
import { type Outcome, Recorder, writeResults } from './results-service.ts';
import { Sending } from './sending.ts';
import { cancelAfterGrace, RunSlots, Shutdown } from './slots.ts';

const defaults = { limit: 800, concurrency: 16, maxRunMs: 5000 } as const;
/** Interval at which a run looks for deliveries that have become due while it sends others. */
const pollMs = 100;
const flushDelayMs = 100;
/** Maximum results per transaction: an embedded database serves no other request for the ten milliseconds it takes. */
const flushSizeMax = 400;
/** Results of detached requests can wait longer, because each batch of them starts another run. */
const detachedFlushDelayMs = 500;
/** After the stop signal active requests have this long to end. They are then cancelled, and sent by the next run. */
const stopGraceMs = 5000;

/** Which endpoints the run may claim deliveries for. */
type Claimable = 'all' | 'healthy' | 'none';

/** One run for one tenant: claims, sends and records deliveries until none is due or its time is over. */
export class DeliveryRun {
  readonly #services: Services;
  readonly #tenant: DispatchTenant;
  readonly #options: DispatchOptions;
  readonly #limit: number;
  readonly #slots: RunSlots;
  readonly #claiming: Claiming;
  readonly #sending: Sending;
  readonly #recorder: Recorder;
  readonly #shutdown: Shutdown;
  #failure: { readonly error: unknown } | undefined;
  #progress = Promise.withResolvers<void>();

  constructor(services: Services, tenant: DispatchTenant, options: DispatchOptions) {
    const { limit = defaults.limit, concurrency = defaults.concurrency, detachesOverdue = false } = options;
    this.#services = services;
    this.#tenant = tenant;
    this.#options = options;
    this.#limit = limit;
    this.#slots = new RunSlots(limit);
    this.#claiming = new Claiming(services, tenant, { limit, concurrency });
    const onOutcome = (outcome: Outcome) => this.#record(outcome);
    this.#sending = new Sending(services, tenant, { concurrency, detachesOverdue, slots: this.#slots, onOutcome });
    this.#recorder = new Recorder(Math.min(flushSizeMax, Math.ceil(limit / 2)), (batch) => this.#write(batch));
    this.#shutdown = new Shutdown(services, tenant, this.#slots);
  }

  /** Runs to the end. Returns when the next delivery is due, or null. Throws the first error of the database. */
  async run(): Promise<Timestamp | null> {
    const { signal, stopAfterMs = stopGraceMs } = this.#options;
    const endCancellation = cancelAfterGrace(signal, stopAfterMs, () => this.#sending.cancel());
    try {
      await this.#deliverAll();
    } finally {
      endCancellation();
    }
    this.#shutdown.end(() => this.#sending.cancel());
    if (this.#failure !== undefined) throw this.#failure.error;
    return await this.#claiming.nextDue();
  }

  async #deliverAll(): Promise<void> {
    const endMs = performance.now() + (this.#options.maxRunMs ?? defaults.maxRunMs);
    for (;;) {
      this.#sending.detachOverdue();
      const wasIdle = this.#slots.held === 0;
      const started = await this.#start(this.#claimable(endMs)).catch((error: unknown) => this.#fail(error));
      if (started > 0) continue;
      // Checked before the claim: requests that ended during the claim may have made more deliveries due.
      if (wasIdle) return;
      if (this.#slots.held > 0) await this.#wait();
    }
  }

  /**
   * After its time is over, a run that has to wait for an overdue request continues to send to healthy endpoints, at
   * most for the timeout of a request.
   */
  #claimable(endMs: number): Claimable {
    if (this.#options.signal?.aborted === true || this.#failure) return 'none';
    const nowMs = performance.now();
    if (nowMs < endMs) return 'all';
    return this.#sending.isHeldUp() && nowMs < endMs + this.#services.webhookSender.timeoutMs ? 'healthy' : 'none';
  }

  /** Claims due deliveries and starts to send them. Returns how many were claimed or ended. */
  async #start(claimable: Claimable): Promise<number> {
    const total = this.#slots.free;
    if (claimable === 'none' || total <= 0) return 0;
    const forUnhealthy = Math.max(0, slotsForUnhealthy(this.#limit) - this.#sending.countUnhealthySlots());
    const { claimed, closed } = await this.#claiming.claim({
      free: { total, forUnhealthy },
      onlyHealthy: claimable === 'healthy',
      queuedOf: (webhookId) => this.#sending.queuedOf(webhookId),
    });
    const count = this.#sending.enqueue(claimed);
    await this.#claiming.updateSecrets(claimed);
    this.#sending.startQueued();
    return count + (await this.#claiming.endWaiting(closed));
  }

  /** Waits until a result is recorded, at most until the next poll. */
  async #wait(): Promise<void> {
    const stop = new AbortController();
    await Promise.race([
      this.#progress.promise,
      delay(pollMs, undefined, { signal: stop.signal }).catch(() => undefined),
    ]);
    stop.abort();
    // Detached requests of earlier runs may have ended: their endpoints can receive queued requests again.
    this.#sending.startQueued();
  }

  #record(outcome: Outcome): void {
    this.#recorder.add(outcome, this.#shutdown.hasEnded ? detachedFlushDelayMs : flushDelayMs);
    // If all deliveries that hold a slot have a result, there is nothing to wait for.
    const { heldCount } = this.#recorder;
    if (heldCount > 0 && heldCount === this.#slots.held) this.#recorder.flush();
  }

  async #write(batch: readonly Outcome[]): Promise<void> {
    const { random = Math.random } = this.#options;
    const handled = batch.map((outcome) => outcome.handled);
    // Wakes the run before the write, so that the next claim shares the commit.
    this.#wake();
    try {
      await writeResults(this.#services, this.#tenant, handled, { leaseId: this.#claiming.leaseId, random });
      if (!this.#shutdown.hasEnded) this.#options.onProgress?.();
    } catch (error) {
      // The leases end, and the deliveries are sent again: late, but none is lost.
      this.#fail(error);
    } finally {
      const detached = batch.filter(({ isDetached }) => isDetached).length;
      this.#slots.release(batch.length - detached, detached);
      this.#wake();
      this.#shutdown.afterRecording();
    }
  }

  #wake(): void {
    this.#progress.resolve();
    this.#progress = Promise.withResolvers();
  }

  /** Keeps the first error. The run throws it after the results of the active requests are recorded. */
  #fail(error: unknown): 0 {
    this.#failure ??= { error };
    const context = { err: error, tenant_id: this.#tenant.id };
    if (this.#shutdown.hasEnded) {
      this.#services.logger.warn(context, 'recording webhook deliveries failed; they will be sent again');
    }
    return 0;
  }
}
