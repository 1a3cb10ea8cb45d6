import { setTimeout as delay } from 'node:timers/promises';
import type { Job, WaitingJob } from '../../../jobs/job.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services, TenantWorkServices } from '../../../services.ts';
import { deliveryJobKind, deliveryRepairJobKind } from '../../tenant-core/events/event.ts';
import { updateSecretEncryption } from '../endpoints/service.ts';
import { Calls, type Outcome } from './call.ts';
import { claimDeliveries, type DispatchTenant, endWaiting, nextDue, type Run, slotsForUnhealthy } from './claim.ts';
import { findNextDelivery } from './queries.ts';
import { Recorder, recordOutcomes } from './record.ts';

/**
 * Maximum concurrent runs. Runs mostly wait for endpoints and hold no database open meanwhile, so there can be many. A
 * run whose endpoints hang detaches their requests after a second and ends.
 */
const slots = 256;
/** Slots of one run. Each slot costs a socket and a message. */
const slotsPerRun = { max: 800, min: 16 } as const;
/** Slots that all runs of this process should hold together. With many runs each one gets fewer. */
const slotsTarget = 4000;
const defaults = { concurrency: 16, maxRunMs: 5000 } as const;
/** Interval at which a run looks for deliveries that have become due while it sends others. */
const pollMs = 100;
const flushDelayMs = 100;
/** Maximum results per transaction: an embedded database serves no other request for the ten milliseconds it takes. */
const flushSizeMax = 400;
/** Results of detached requests can wait longer, because each batch of them starts another run. */
const detachedFlushDelayMs = 500;
/** After the stop signal active requests have this long to end. They are then cancelled, and sent by the next run. */
const stopGraceMs = 5000;

/** Creates the job that sends the due deliveries of a tenant. It is due when the tenant's next delivery is. */
export function deliveryJob(services: Services & TenantWorkServices): WaitingJob {
  const { tenants } = services;
  let active = 0;
  return {
    kind: deliveryJobKind,
    daily: true,
    slots,
    outlastsCrashes: true,
    async runUnopened({ tenantId, signal, reportProgress }) {
      active += 1;
      const limit = Math.max(slotsPerRun.min, Math.min(slotsPerRun.max, Math.floor(slotsTarget / active)));
      const tenant: DispatchTenant = { id: tenantId, withDb: (work) => tenants.withTenantDb(tenantId, work) };
      const options = { signal, limit, detachesOverdue: true, onProgress: reportProgress };
      try {
        return await deliverDue(services, tenant, options);
      } finally {
        active -= 1;
      }
    },
  };
}

/**
 * Creates the job that finds pending deliveries without a wake-up, which exist if a process dies right after a commit.
 * Every transaction that writes deliveries schedules this job before its commit, to run a minute later.
 */
export function deliveryRepairJob({ wakeUps }: TenantWorkServices): Job {
  return {
    kind: deliveryRepairJobKind,
    daily: false,
    outlastsCrashes: true,
    async run({ tenantId, db }) {
      const dueAt = await findNextDelivery(db);
      if (dueAt !== null) wakeUps.scheduleAfterCommit(tenantId, deliveryJobKind, dueAt);
      return null;
    },
  };
}

/** Limits of one run. */
export interface DeliveryOptions {
  /** Slots of the run: the most deliveries that it holds in memory at the same time. Default 800. */
  readonly limit?: number;
  /** Maximum concurrent requests to one endpoint. Default 16. */
  readonly concurrency?: number;
  /** How long the run claims deliveries, in milliseconds; it then finishes the claimed ones. Default 5000. */
  readonly maxRunMs?: number;
  /** When aborted, the run claims no more, and `stopAfterMs` later it cancels the active requests and releases their deliveries. */
  readonly signal?: AbortSignal;
  /** How long active requests may continue after `signal` was aborted, in milliseconds. Default 5000. */
  readonly stopAfterMs?: number;
  /**
   * If true, requests that take longer than a second are detached: the run ends without them. Their results are
   * recorded later, and the next run of the tenant is then scheduled.
   */
  readonly detachesOverdue?: boolean;
  /** Called after each batch of results that is recorded during the run. */
  readonly onProgress?: () => void;
  /** Returns a number in 0..1 that spreads retries. Default `Math.random`. */
  readonly random?: () => number;
}

/**
 * Sends the due deliveries of one tenant, and continues while more become due. Two concurrent runs of the same tenant
 * share the work: each delivery is leased for 30 s, and no other run sends it until then. Returns when the next
 * delivery is due (now, if the run ended early), or null if no delivery is pending. Throws the first error of the
 * database.
 */
export function deliverDue(
  services: Services,
  tenant: DispatchTenant,
  options: DeliveryOptions = {},
): Promise<Timestamp | null> {
  return new DeliveryRun(services, tenant, options).run();
}

/** Which endpoints the run may claim deliveries for. */
type Claimable = 'all' | 'healthy' | 'none';

/** One run for one tenant: claims deliveries, calls their endpoints and records the outcomes. */
class DeliveryRun {
  readonly #run: Run;
  readonly #options: DeliveryOptions;
  readonly #calls: Calls;
  readonly #recorder: Recorder;
  #failure: { readonly error: unknown } | undefined;
  #progress = Promise.withResolvers<void>();
  /** Only results of detached requests are recorded after the end of the run. */
  #hasEnded = false;
  readonly #allRecorded = Promise.withResolvers<void>();

  constructor(services: Services, tenant: DispatchTenant, options: DeliveryOptions) {
    const { limit = slotsPerRun.max, concurrency = defaults.concurrency, detachesOverdue = false } = options;
    this.#run = { services, tenant, leaseId: newId(), limit, concurrency };
    this.#options = options;
    this.#calls = new Calls(this.#run, { detachesOverdue, onOutcome: (outcome) => this.#collect(outcome) });
    this.#recorder = new Recorder(Math.min(flushSizeMax, Math.ceil(limit / 2)), (batch) => this.#record(batch));
  }

  async run(): Promise<Timestamp | null> {
    const { signal, stopAfterMs = stopGraceMs } = this.#options;
    const cancel = () => this.#calls.cancel();
    let timer: NodeJS.Timeout | undefined;
    const onStop = () => {
      timer = setTimeout(cancel, stopAfterMs);
    };
    signal?.addEventListener('abort', onStop, { once: true });
    try {
      await this.#deliverAll();
    } finally {
      signal?.removeEventListener('abort', onStop);
      clearTimeout(timer);
    }
    this.#hasEnded = true;
    // A stop of the process waits for the detached requests, and cancels them if they take too long.
    if (this.#calls.detached > 0) {
      this.#run.services.webhookTraffic.register({ cancel, recorded: this.#allRecorded.promise });
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    return await nextDue(this.#run);
  }

  async #deliverAll(): Promise<void> {
    const endMs = performance.now() + (this.#options.maxRunMs ?? defaults.maxRunMs);
    for (;;) {
      this.#calls.detachOverdue();
      const wasIdle = this.#calls.held === 0;
      const started = await this.#start(this.#claimable(endMs)).catch((error: unknown) => this.#fail(error));
      if (started > 0) continue;
      // Checked before the claim: requests that ended during the claim may have made more deliveries due.
      if (wasIdle) return;
      if (this.#calls.held > 0) await this.#wait();
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
    return this.#calls.isHeldUp && nowMs < endMs + this.#run.services.webhookSender.timeoutMs ? 'healthy' : 'none';
  }

  /** Claims due deliveries and starts to send them. Returns how many were claimed or ended. */
  async #start(claimable: Claimable): Promise<number> {
    const { services, tenant, limit } = this.#run;
    const total = this.#calls.free;
    if (claimable === 'none' || total <= 0) return 0;
    const { claimed, closed } = await claimDeliveries(this.#run, {
      free: { total, forUnhealthy: Math.max(0, slotsForUnhealthy(limit) - this.#calls.unhealthy) },
      onlyHealthy: claimable === 'healthy',
      queuedOf: (webhookId) => this.#calls.queuedOf(webhookId),
    });
    const count = this.#calls.enqueue(claimed);
    for (const { endpoint } of claimed) {
      await updateSecretEncryption(services.keyring, (work) => tenant.withDb(work), endpoint);
    }
    this.#calls.startQueued();
    return count + (await endWaiting(this.#run, closed));
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
    this.#calls.startQueued();
  }

  #collect(outcome: Outcome): void {
    this.#recorder.add(outcome, this.#hasEnded ? detachedFlushDelayMs : flushDelayMs);
    // If all deliveries that hold a slot have an outcome, there is nothing to wait for.
    if (!outcome.isDetached && this.#calls.unsent === 0) this.#recorder.flush();
  }

  async #record(batch: readonly Outcome[]): Promise<void> {
    const { random = Math.random } = this.#options;
    // Wakes the run before the write, so that the next claim shares the commit.
    this.#wake();
    try {
      await recordOutcomes(this.#run, batch, random);
      if (!this.#hasEnded) this.#options.onProgress?.();
    } catch (error) {
      // The leases end, and the deliveries are sent again: late, but none is lost.
      this.#fail(error);
    } finally {
      this.#calls.release(batch);
      this.#wake();
      if (this.#hasEnded) this.#continueLater();
    }
  }

  /**
   * Schedules the next run, which sends the deliveries that waited for detached requests and finds when the failed ones
   * are retried.
   */
  #continueLater(): void {
    const { services, tenant } = this.#run;
    services.wakeUps.scheduleAfterCommit(tenant.id, deliveryJobKind, services.clock.now());
    if (this.#calls.detached === 0) this.#allRecorded.resolve();
  }

  #wake(): void {
    this.#progress.resolve();
    this.#progress = Promise.withResolvers();
  }

  /** Keeps the first error. The run throws it after the results of the active requests are recorded. */
  #fail(error: unknown): 0 {
    this.#failure ??= { error };
    if (this.#hasEnded) {
      const context = { err: error, tenant_id: this.#run.tenant.id };
      this.#run.services.logger.warn(context, 'recording webhook deliveries failed; they will be sent again');
    }
    return 0;
  }
}
