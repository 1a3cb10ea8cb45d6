import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { TenantTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { newId } from '../../../lib/ids.ts';
import { transactWithEvents } from '../../events/outbox.ts';
import {
  claimDeliveries,
  endWaitingDeliveries,
  findNextDelivery,
  listEvents,
  listWaitingEndpoints,
  type WaitingEndpoint,
} from '../dispatch-queries.ts';
import type { DispatchOptions, DispatchServices, DispatchTenant } from '../dispatch-service.ts';
import { replaceSealedSecrets } from '../queries.ts';
import { type Handled, recordResults } from '../results-service.ts';
import { resealSecrets } from '../secrets.ts';
import { type Claimed, type Lane, type Quota, shareOut } from './lanes.ts';
import { messageBody } from './message.ts';
import type { SendResult } from './sender.ts';
import { createSigner, type SignHeaders } from './signature.ts';

const leaseMs = 30_000;
/** Between the end of the slowest attempt and the end of the lease there is time to write the result. */
const recordingMs = 3000;
const defaults = { limit: 400, concurrency: 16, maxRunMs: 5000 } as const;
/** While something is sent, this often it is looked for what else became due. */
const pollMs = 100;
/** Results are written together, since each commit waits for the disk: as soon as there are so many, or so late. */
const flushSize = 250;
const flushDelayMs = 100;
const endedPerBatch = 500;
const quickMs = 1000;
/** After the signal to stop what is being sent has so long to end; then it is left, and sent again by the next run. */
const stopGraceMs = 5000;

/** One run of one tenant: claims, sends and records until nothing is due or its time is over. */
export class DeliveryRun {
  readonly #services: DispatchServices;
  readonly #tenant: DispatchTenant;
  readonly #options: DispatchOptions;
  readonly #bounds: { readonly limit: number; readonly concurrency: number };
  readonly #leaseId = newId();
  readonly #sign: SignHeaders;
  readonly #lanes = new Map<string, Lane>();
  /** Claimed and not yet recorded. */
  #inHand = 0;
  #handled: Handled[] = [];
  readonly #cut = new AbortController();
  #flushTimer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #progress = Promise.withResolvers<void>();

  constructor(services: DispatchServices, tenant: DispatchTenant, options: DispatchOptions) {
    this.#services = services;
    this.#tenant = tenant;
    this.#options = options;
    const { limit = defaults.limit, concurrency = defaults.concurrency } = options;
    this.#bounds = { limit, concurrency };
    this.#sign = createSigner(services.keyring, services.clock.now());
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
      const mayClaim = performance.now() < endMs && this.#options.signal?.aborted !== true && !this.#failure;
      const began = mayClaim ? await this.#begin() : 0;
      if (began > 0) continue;
      if (this.#inHand === 0) break;
      await this.#wait();
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    return await this.#tenant.withDb(findNextDelivery);
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
  }

  /** Claims what is due and begins to send it. Answers how many deliveries were taken or ended. */
  async #begin(): Promise<number> {
    const free = this.#bounds.limit - this.#inHand;
    if (free <= 0) return 0;
    const waiting = await this.#tenant.withDb(listWaitingEndpoints);
    const now = this.#services.clock.now();
    const open = waiting.filter((endpoint) => isOpen(endpoint) && endpoint.due_at <= now);
    const quotas = shareOut(open, this.#lanes, free, this.#bounds);
    const closed = waiting.filter((endpoint) => !isOpen(endpoint));
    return (await this.#claim(quotas, now)) + (await this.#endWaiting(closed, now));
  }

  async #claim(quotas: readonly Quota[], now: Timestamp): Promise<number> {
    if (quotas.length === 0) return 0;
    for (const { endpoint } of quotas) await this.#reseal(endpoint);
    const startBeforeMs = performance.now() + leaseMs - this.#services.webhookSender.timeoutMs - recordingMs;
    const leaseEnd = addSeconds(now, leaseMs / 1000);
    const claimed = await this.#transact(async (tx) => {
      const taken = [];
      for (const { endpoint, limit } of quotas) {
        const claim = { webhookId: endpoint.id, leaseId: this.#leaseId, leaseEnd, now, limit };
        taken.push({ endpoint, deliveries: await claimDeliveries(tx, claim) });
      }
      const eventIds = new Set(taken.flatMap(({ deliveries }) => deliveries.map(({ event_id }) => event_id)));
      const events = eventIds.size === 0 ? [] : await listEvents(tx, [...eventIds]);
      return { taken, events: new Map(events.map((event) => [event.id, event])) };
    });
    let count = 0;
    for (const { endpoint, deliveries } of claimed.taken) {
      const lane = this.#laneOf(endpoint);
      for (const delivery of deliveries) {
        const event = claimed.events.get(delivery.event_id);
        if (event === undefined)
          throw new Error(`The delivery ${delivery.id} has no event: its foreign key forbids that.`);
        lane.queue.push({ delivery, event, startBeforeMs });
        count += 1;
      }
    }
    this.#inHand += count;
    for (const lane of this.#lanes.values()) this.#pump(lane);
    return count;
  }

  /** After the application key has changed an endpoint's secrets move to the new one when they are used. */
  async #reseal({ id, sealed_secrets }: WaitingEndpoint): Promise<void> {
    let resealed: string | null;
    try {
      resealed = resealSecrets(this.#services.keyring, sealed_secrets);
    } catch {
      // Each attempt says so.
      return;
    }
    if (resealed !== null) await this.#tenant.withDb((db) => replaceSealedSecrets(db, id, sealed_secrets, resealed));
  }

  #laneOf(endpoint: WaitingEndpoint): Lane {
    const known = this.#lanes.get(endpoint.id);
    if (known !== undefined) {
      known.endpoint = endpoint;
      return known;
    }
    const lane = { endpoint, queue: [], active: 0, isQuick: false };
    this.#lanes.set(endpoint.id, lane);
    return lane;
  }

  #pump(lane: Lane): void {
    while (lane.active < this.#bounds.concurrency) {
      const next = lane.queue.shift();
      if (next === undefined) return;
      lane.active += 1;
      void this.#deliver(lane, next);
    }
  }

  async #deliver(lane: Lane, claimed: Claimed): Promise<void> {
    const { delivery, startBeforeMs } = claimed;
    if (performance.now() > startBeforeMs) {
      this.#finish(lane, { delivery, attempt: null });
      return;
    }
    const at = this.#services.clock.now();
    const result = await this.#send(lane.endpoint, claimed);
    this.#services.metrics.webhookAttempts.increment(attemptResult(result));
    lane.isQuick = result.durationMs < quickMs;
    this.#finish(lane, { delivery, attempt: result.error === 'cancelled' ? null : { at, result } });
  }

  async #send(endpoint: WaitingEndpoint, { event }: Claimed): Promise<SendResult> {
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

  #finish(lane: Lane, handled: Handled): void {
    lane.active -= 1;
    this.#handled.push(handled);
    this.#pump(lane);
    // With nothing left in the air there is nothing to wait for.
    if (this.#handled.length >= flushSize || this.#handled.length === this.#inHand) this.#flush();
    else this.#flushTimer ??= setTimeout(() => this.#flush(), flushDelayMs);
  }

  /** While one batch is written the next one gathers. */
  #flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    this.#flushing ??= this.#record().finally(() => {
      this.#flushing = undefined;
      this.#progress.resolve();
      this.#progress = Promise.withResolvers();
      if (this.#handled.length > 0) this.#flush();
    });
  }

  async #record(): Promise<void> {
    const handled = this.#handled;
    this.#handled = [];
    const { clock } = this.#services;
    const { random = Math.random } = this.#options;
    try {
      await this.#tenant.withDb((db) =>
        transactWithEvents(this.#services, { id: this.#tenant.id, db }, (tx, outbox) =>
          recordResults(tx, outbox, handled, { leaseId: this.#leaseId, at: clock.now(), random }),
        ),
      );
    } catch (error) {
      // The leases run out, and the deliveries are sent again: late, but none is lost.
      this.#failure ??= { error };
    } finally {
      this.#inHand -= handled.length;
    }
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
