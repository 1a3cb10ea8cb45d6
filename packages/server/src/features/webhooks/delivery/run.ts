import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { TenantTransaction } from '../../../db/database.ts';
import type { WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { newId } from '../../../lib/ids.ts';
import { deliveryJobKind } from '../../tenant-core/events/event.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { updateSecretEncryption } from '../endpoints/service.ts';
import { type ClaimedOfEndpoint, claimShares, leaseMs } from './claim.ts';
import { endWaitingDeliveries, listWaitingEndpoints, type WaitingEndpoint } from './dispatch-queries.ts';
import type { DispatchOptions, DispatchServices, DispatchTenant } from './dispatch-service.ts';
import { type Bounds, type Claimed, type Lane, placesOfOthers, shareOut, wantedBy } from './endpoint-queue.ts';
import { messageBody } from './message.ts';
import { type Outcome, Recorder } from './recorder.ts';
import { recordResults } from './results-service.ts';
import type { SendResult } from './sender.ts';
import { createSigner, type SignHeaders } from './signature.ts';
import { learn, slowMs } from './traffic.ts';
import { listDueOrWaiting } from './waiting.ts';

/** Between the end of the slowest attempt and the end of the lease there is time to write the result. */
const recordingMs = 3000;
const defaults = { limit: 800, concurrency: 16, maxRunMs: 5000 } as const;
/** While something is sent, this often it is looked for what else became due. */
const pollMs = 100;
const flushDelayMs = 100;
/** An embedded database serves nothing else meanwhile: writing so many takes some ten milliseconds. */
const flushSizeMax = 400;
/** Nobody waits for the result of what was left behind; each batch of them begins another run. */
const lateFlushDelayMs = 500;
const endedPerBatch = 500;
/** After the signal to stop what is being sent has so long to end; then it is left, and sent again by the next run. */
const stopGraceMs = 5000;

/** A request that holds a place of the run. */
interface Attempt {
  readonly lane: Lane;
  readonly startedMs: number;
  isPlaced: boolean;
}

/** One run of one tenant: claims, sends and records until nothing is due or its time is over. */
export class DeliveryRun {
  readonly #services: DispatchServices;
  readonly #tenant: DispatchTenant;
  readonly #options: DispatchOptions;
  readonly #bounds: Bounds;
  readonly #leaseId = newId();
  readonly #sign: SignHeaders;
  readonly #lanes = new Map<string, Lane>();
  /** In the order in which they began. */
  readonly #air = new Set<Attempt>();
  readonly #recorder: Recorder;
  readonly #cut = new AbortController();
  /** Claimed, not yet recorded, and holding a place. */
  #inHand = 0;
  /** Those of them without a result: what has one makes room for the next. */
  #busy = 0;
  /** Sent, not yet recorded, and holding no place any more. */
  #left = 0;
  #hasEnded = false;
  readonly #allRecorded = Promise.withResolvers<void>();
  #failure: { readonly error: unknown } | undefined;
  #progress = Promise.withResolvers<void>();

  constructor(services: DispatchServices, tenant: DispatchTenant, options: DispatchOptions) {
    this.#services = services;
    this.#tenant = tenant;
    this.#options = options;
    const { limit = defaults.limit, concurrency = defaults.concurrency } = options;
    this.#bounds = { limit, concurrency };
    this.#sign = createSigner(services.keyring, services.clock.now());
    this.#recorder = new Recorder(Math.min(flushSizeMax, Math.ceil(limit / 2)), (batch) => this.#write(batch));
  }

  async run(): Promise<Timestamp | null> {
    setMaxListeners(0, this.#cut.signal);
    const { signal, stopAfterMs = stopGraceMs } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const stop = () => {
      timer = setTimeout(() => this.#cut.abort(), stopAfterMs);
    };
    signal?.addEventListener('abort', stop, { once: true });
    try {
      return await this.#deliverAll();
    } finally {
      signal?.removeEventListener('abort', stop);
      clearTimeout(timer);
    }
  }

  async #deliverAll(): Promise<Timestamp | null> {
    const endMs = performance.now() + (this.#options.maxRunMs ?? defaults.maxRunMs);
    for (;;) {
      this.#leaveOverdue();
      const wasIdle = this.#inHand === 0;
      const began = await this.#begin(this.#claimable(endMs)).catch((error: unknown) => this.#fail(error));
      if (began > 0) continue;
      // What ended while it was looked may have made more due.
      if (wasIdle) break;
      if (this.#inHand > 0) await this.#wait();
    }
    this.#end();
    if (this.#failure !== undefined) throw this.#failure.error;
    return await this.#nextDue();
  }

  /**
   * What may be claimed now. When the time is over, a run that cannot give back what hangs still has its place, and
   * goes on for endpoints that are well.
   */
  #claimable(endMs: number): 'all' | 'well' | 'none' {
    if (this.#options.signal?.aborted === true || this.#failure) return 'none';
    const nowMs = performance.now();
    if (nowMs < endMs) return 'all';
    const [first] = this.#air;
    const isHeldUp = first !== undefined && nowMs - first.startedMs > slowMs;
    return isHeldUp && nowMs < endMs + this.#services.webhookSender.timeoutMs ? 'well' : 'none';
  }

  /** From here on only what was left behind is recorded. */
  #end(): void {
    this.#hasEnded = true;
    if (this.#left === 0) return;
    const leftBehind = { cut: () => this.#cut.abort(), recorded: this.#allRecorded.promise };
    this.#services.webhookTraffic.keep(leftBehind);
  }

  /** When something may be taken next. What waits for a request in the air is told of when that has ended. */
  async #nextDue(): Promise<Timestamp | null> {
    const waiting = await this.#tenant.withDb(listWaitingEndpoints);
    const leaseEnd = addSeconds(this.#services.clock.now(), leaseMs / 1000);
    const moments = waiting.map((endpoint) => {
      const { due_at } = endpoint;
      return due_at < leaseEnd && this.#isBusy(endpoint) ? leaseEnd : due_at;
    });
    return moments.sort()[0] ?? null;
  }

  #isBusy(endpoint: WaitingEndpoint): boolean {
    const traffic = this.#services.webhookTraffic.endpoint(endpoint.id);
    return isOpen(endpoint) && traffic.active > 0 && wantedBy({ traffic, queued: 0 }, this.#bounds) === 0;
  }

  #transact<Result>(work: (tx: TenantTransaction) => Promise<Result>): Promise<Result> {
    return this.#tenant.withDb((db) => db.transaction(work));
  }

  /** Until a result is recorded, or it is time to look again. */
  async #wait(): Promise<void> {
    const stop = new AbortController();
    await Promise.race([
      this.#progress.promise,
      delay(pollMs, undefined, { signal: stop.signal }).catch(() => undefined),
    ]);
    stop.abort();
    // What others left behind may have ended.
    for (const lane of this.#lanes.values()) this.#pump(lane);
  }

  /** Claims what is due and begins to send it. Answers how many deliveries were taken or ended. */
  async #begin(claimable: 'all' | 'well' | 'none'): Promise<number> {
    // Where writing is slower than sending, results wait as well.
    const free = Math.min(this.#bounds.limit - this.#busy, 2 * this.#bounds.limit - this.#inHand);
    if (claimable === 'none' || free <= 0) return 0;
    const now = this.#services.clock.now();
    const waiting = await listDueOrWaiting(this.#tenant, now);
    const candidates = waiting
      .filter((endpoint) => isOpen(endpoint) && endpoint.due_at <= now)
      .map((endpoint) => ({
        endpoint,
        traffic: this.#services.webhookTraffic.endpoint(endpoint.id),
        queued: this.#lanes.get(endpoint.id)?.queue.length ?? 0,
      }))
      .filter(({ traffic }) => claimable === 'all' || traffic.isWell);
    const freeForOthers = Math.max(0, placesOfOthers(this.#bounds.limit) - this.#placesOfOthers());
    const quotas = shareOut(candidates, { free, freeForOthers }, this.#bounds);
    const claim = { quotas, leaseId: this.#leaseId, now };
    const startBeforeMs = performance.now() + leaseMs - this.#services.webhookSender.timeoutMs - recordingMs;
    const claimed = quotas.length === 0 ? [] : await this.#transact((tx) => claimShares(tx, claim));
    const closed = waiting.filter((endpoint) => !isOpen(endpoint));
    return (await this.#take(claimed, startBeforeMs)) + (await this.#endWaiting(closed, now));
  }

  #placesOfOthers(): number {
    let count = 0;
    for (const { traffic, queue, placed } of this.#lanes.values()) if (!traffic.isWell) count += queue.length + placed;
    return count;
  }

  async #take(claimed: readonly ClaimedOfEndpoint[], startBeforeMs: number): Promise<number> {
    let count = 0;
    const lanes: Lane[] = [];
    for (const { endpoint, taken } of claimed) {
      const lane = this.#laneOf(endpoint);
      lanes.push(lane);
      this.#services.webhookTraffic.takeTurn(lane.traffic);
      for (const one of taken) lane.queue.push({ ...one, startBeforeMs });
      count += taken.length;
    }
    this.#inHand += count;
    this.#busy += count;
    const { keyring } = this.#services;
    for (const { endpoint } of claimed) {
      await updateSecretEncryption(keyring, (work) => this.#tenant.withDb(work), endpoint);
    }
    for (const lane of lanes) this.#pump(lane);
    return count;
  }

  #laneOf(endpoint: WebhookEndpointsTable): Lane {
    const known = this.#lanes.get(endpoint.id);
    if (known !== undefined) {
      known.endpoint = endpoint;
      return known;
    }
    const lane = { endpoint, queue: [], placed: 0, traffic: this.#services.webhookTraffic.endpoint(endpoint.id) };
    this.#lanes.set(endpoint.id, lane);
    return lane;
  }

  #pump(lane: Lane): void {
    const { traffic } = lane;
    while (traffic.active < Math.min(traffic.window, this.#bounds.concurrency)) {
      const next = lane.queue.shift();
      if (next === undefined) return;
      void this.#deliver(lane, next);
    }
  }

  async #deliver(lane: Lane, claimed: Claimed): Promise<void> {
    const { delivery, startBeforeMs } = claimed;
    const attempt: Attempt = { lane, startedMs: performance.now(), isPlaced: true };
    if (attempt.startedMs > startBeforeMs) return this.#giveBack(claimed);
    lane.traffic.active += 1;
    lane.placed += 1;
    // It was overdue last time: there is nothing to wait for.
    if (!lane.traffic.isSlow || !this.#leave(attempt)) this.#air.add(attempt);
    const at = this.#services.clock.now();
    const result = await this.#send(lane.endpoint, claimed);
    this.#countAttempt(result);
    lane.traffic.active -= 1;
    this.#air.delete(attempt);
    if (attempt.isPlaced) lane.placed -= 1;
    else this.#services.webhookTraffic.endOverdue(this.#tenant.id);
    const { error, durationMs } = result;
    const isCancelled = error === 'cancelled';
    const answer = { durationMs, isSuccess: error === null, isSilence: error === 'timeout' };
    if (!isCancelled) learn(lane.traffic, answer, this.#bounds.concurrency);
    this.#pump(lane);
    const handled = { delivery, attempt: isCancelled ? null : { at, result } };
    this.#record({ handled, isPlaced: attempt.isPlaced });
  }

  /** Requests that are overdue give their places back; what is queued behind them goes back to the database. */
  #leaveOverdue(): void {
    const begunBeforeMs = performance.now() - slowMs;
    for (const attempt of this.#air) {
      if (attempt.startedMs > begunBeforeMs) return;
      const { traffic, queue } = attempt.lane;
      traffic.isSlow = true;
      traffic.isWell = false;
      for (const claimed of queue.splice(0)) this.#giveBack(claimed);
      if (this.#leave(attempt)) this.#air.delete(attempt);
    }
  }

  /** False when there is no room for it beside the run. */
  #leave(attempt: Attempt): boolean {
    if (!this.#options.leavesOverdue || !this.#services.webhookTraffic.takeOverdue(this.#tenant.id)) return false;
    attempt.isPlaced = false;
    attempt.lane.placed -= 1;
    this.#inHand -= 1;
    this.#busy -= 1;
    this.#left += 1;
    return true;
  }

  #giveBack({ delivery }: Claimed): void {
    this.#record({ handled: { delivery, attempt: null }, isPlaced: true });
  }

  #countAttempt(result: SendResult): void {
    const { activity, metrics } = this.#services;
    metrics.webhookAttempts.increment(attemptResult(result));
    // It is given back, and sent again.
    if (result.error === 'cancelled') return;
    const counter = result.error === null ? 'webhook_attempts_succeeded' : 'webhook_attempts_failed';
    activity.count(this.#tenant.id, counter);
  }

  async #send(endpoint: WebhookEndpointsTable, { event }: Claimed): Promise<SendResult> {
    const body = messageBody(event, this.#tenant.id);
    const message = { id: event.id, body, nowMs: this.#services.clock.nowMs() };
    let headers: Record<string, string>;
    try {
      headers = this.#sign(endpoint.sealed_secrets, message);
    } catch (error) {
      this.#services.logger.error({ err: error, webhook_id: endpoint.id }, 'a webhook secret cannot be opened');
      return unsendable;
    }
    return await this.#services.webhookSender.send({ url: endpoint.url, headers, body }, this.#cut.signal);
  }

  #record(outcome: Outcome): void {
    if (outcome.isPlaced) this.#busy -= 1;
    this.#recorder.add(outcome, this.#hasEnded ? lateFlushDelayMs : flushDelayMs);
    // With nothing left in the air there is nothing to wait for.
    const { placed } = this.#recorder;
    if (placed > 0 && placed === this.#inHand) this.#recorder.flush();
  }

  async #write(batch: readonly Outcome[]): Promise<void> {
    const { clock } = this.#services;
    const { random = Math.random } = this.#options;
    const handled = batch.map((outcome) => outcome.handled);
    // What is claimed now shares the commit.
    this.#wake();
    try {
      await this.#tenant.withDb((db) =>
        transactWithEvents(this.#services, { id: this.#tenant.id, db }, (tx, outbox) =>
          recordResults(tx, outbox, handled, { leaseId: this.#leaseId, at: clock.now(), random }),
        ),
      );
    } catch (error) {
      // The leases run out, and the deliveries are sent again: late, but none is lost.
      this.#fail(error);
    } finally {
      const placed = batch.filter(({ isPlaced }) => isPlaced).length;
      this.#inHand -= placed;
      this.#left -= batch.length - placed;
      this.#wake();
      if (this.#hasEnded) this.#tellNextRun();
    }
  }

  #wake(): void {
    this.#progress.resolve();
    this.#progress = Promise.withResolvers();
  }

  /** What is in the air is still recorded before the run fails. */
  #fail(error: unknown): 0 {
    this.#failure ??= { error };
    const context = { err: error, tenant_id: this.#tenant.id };
    if (this.#hasEnded) this.#services.logger.warn(context, 'webhook deliveries were not recorded, and are sent again');
    return 0;
  }

  /** The next run begins what waited for this one, and finds when its endpoints are tried again. */
  #tellNextRun(): void {
    this.#services.wakeUps.scheduleAfterCommit(this.#tenant.id, deliveryJobKind, this.#services.clock.now());
    if (this.#left === 0) this.#allRecorded.resolve();
  }

  async #endWaiting(endpoints: readonly WaitingEndpoint[], now: Timestamp): Promise<number> {
    let count = 0;
    for (const endpoint of endpoints) {
      const reason = endpoint.deleted_at === null ? 'endpoint_disabled' : 'endpoint_deleted';
      const ending = { webhookId: endpoint.id, reason, now, limit: endedPerBatch } as const;
      count += await this.#transact((tx) => endWaitingDeliveries(tx, ending));
    }
    return count;
  }
}

/** For metrics: few words, whatever endpoints answer. */
function attemptResult({ error }: SendResult): string {
  return error === null ? 'succeeded' : error.replace(/^(status_\d)\d\d$/, '$1xx');
}

function isOpen(endpoint: WaitingEndpoint): boolean {
  return endpoint.status === 'enabled' && endpoint.deleted_at === null;
}

const unsendable: SendResult = {
  responseStatus: null,
  responseBody: null,
  error: 'secret_unreadable',
  retryAfterMs: null,
  durationMs: 0,
};
