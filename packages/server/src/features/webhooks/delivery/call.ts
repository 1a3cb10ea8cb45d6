import type { WebhookDeliveriesTable, WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { createSigner, type OwnHeader, openHeaders, type SignHeaders } from '../endpoints/secrets.ts';
import type { ClaimedDelivery, ClaimedOfEndpoint, Run } from './claim.ts';
import type { SendResult } from './sender.ts';
import { type EndpointTraffic, isSlow, recordOverdue, recordResponse, requestLimit, slowMs } from './traffic.ts';

/** The outcome of a claimed delivery. */
export interface Outcome {
  readonly delivery: WebhookDeliveriesTable;
  /** Null if the delivery was not sent, or not completely; it is then released. */
  readonly attempt: { readonly at: Timestamp; readonly result: SendResult } | null;
  /** True if the delivery had released its slot of the run. */
  readonly isDetached: boolean;
}

/** The deliveries that a run has claimed for one endpoint. */
interface EndpointQueue {
  endpoint: WebhookEndpointsTable;
  /** Deliveries that wait to be sent, in the order of sending. */
  readonly waiting: ClaimedDelivery[];
  readonly traffic: EndpointTraffic;
}

/** An active request. */
interface Attempt {
  readonly queue: EndpointQueue;
  readonly startedMs: number;
}

interface CallOptions {
  /** True to detach requests that take longer than a second. */
  readonly detachesOverdue: boolean;
  /** Receives the outcome of every claimed delivery once. */
  readonly onOutcome: (outcome: Outcome) => void;
}

/** Calls the endpoints of the claimed deliveries of one run, with one queue per endpoint. */
export class Calls {
  readonly #run: Run;
  readonly #options: CallOptions;
  readonly #sign: SignHeaders;
  readonly #queues = new Map<string, EndpointQueue>();
  /** Active requests that hold a slot of the run, in the order of their start. A detached request holds none. */
  readonly #attempts = new Set<Attempt>();
  readonly #cancellation = new AbortController();
  #queued = 0;
  #unrecorded = 0;
  #detached = 0;

  constructor(run: Run, options: CallOptions) {
    this.#run = run;
    this.#options = options;
    this.#sign = createSigner(run.services.keyring, run.services.clock.now());
  }

  /** Number of claimed deliveries that are neither detached nor have an outcome. */
  get unsent(): number {
    return this.#queued + this.#attempts.size;
  }

  /** Number of claimed deliveries that hold a slot: neither detached nor recorded. */
  get held(): number {
    return this.unsent + this.#unrecorded;
  }

  /** Number of detached deliveries that are not recorded yet; they hold no slot. */
  get detached(): number {
    return this.#detached;
  }

  /**
   * Slots that the next claim may use. A delivery with an outcome no longer counts, unless recording is slower than
   * sending: the run never holds more than twice its limit.
   */
  get free(): number {
    const { limit } = this.#run;
    return Math.min(limit - this.unsent, 2 * limit - this.held);
  }

  /** Number of slots that endpoints that are not healthy hold. */
  get unhealthy(): number {
    let count = 0;
    for (const { traffic, waiting } of this.#queues.values()) if (traffic.status !== 'healthy') count += waiting.length;
    for (const { queue } of this.#attempts) if (queue.traffic.status !== 'healthy') count += 1;
    return count;
  }

  /** True if an overdue request holds a slot because it could not be detached. */
  get isHeldUp(): boolean {
    const [oldest] = this.#attempts;
    return oldest !== undefined && performance.now() - oldest.startedMs > slowMs;
  }

  /** Number of deliveries of an endpoint that are queued and not started. */
  queuedOf(webhookId: string): number {
    return this.#queues.get(webhookId)?.waiting.length ?? 0;
  }

  /** Adds claimed deliveries to the queues of their endpoints, without starting them. Returns how many. */
  enqueue(claimed: readonly ClaimedOfEndpoint[]): number {
    const { webhookTraffic } = this.#run.services;
    let count = 0;
    for (const { endpoint, deliveries } of claimed) {
      const known = this.#queues.get(endpoint.id);
      const queue = known ?? { endpoint, waiting: [], traffic: webhookTraffic.endpoint(endpoint.id) };
      queue.endpoint = endpoint;
      queue.waiting.push(...deliveries);
      this.#queues.set(endpoint.id, queue);
      webhookTraffic.countClaim(queue.traffic);
      count += deliveries.length;
    }
    this.#queued += count;
    return count;
  }

  /** Starts queued deliveries up to the request limits of their endpoints. */
  startQueued(): void {
    for (const queue of this.#queues.values()) this.#startQueue(queue);
  }

  #startQueue(queue: EndpointQueue): void {
    while (queue.traffic.active < requestLimit(queue.traffic, this.#run.concurrency)) {
      const next = this.#take(queue);
      if (next === undefined) return;
      void this.#deliver(queue, next);
    }
  }

  #take({ waiting }: EndpointQueue): ClaimedDelivery | undefined {
    const next = waiting.shift();
    if (next !== undefined) this.#queued -= 1;
    return next;
  }

  async #deliver(queue: EndpointQueue, claimed: ClaimedDelivery): Promise<void> {
    const { services, tenant } = this.#run;
    const { traffic } = queue;
    const { delivery, startBeforeMs } = claimed;
    const attempt: Attempt = { queue, startedMs: performance.now() };
    if (attempt.startedMs > startBeforeMs) return this.#report({ delivery, attempt: null, isDetached: false });
    traffic.active += 1;
    // A request to an endpoint that was slow last time is detached at once.
    if (!isSlow(traffic) || !this.#detach()) this.#attempts.add(attempt);
    const at = services.clock.now();
    const result = await this.#call(queue.endpoint, claimed, at);
    traffic.active -= 1;
    const isDetached = !this.#attempts.delete(attempt);
    if (isDetached) services.webhookTraffic.endDetached(tenant.id);
    const { error, durationMs } = result;
    const isCancelled = error === 'cancelled';
    services.metrics.webhookAttempts.increment(attemptResult(result));
    if (!isCancelled) {
      services.activity.count(tenant.id, error === null ? 'webhook_attempts_succeeded' : 'webhook_attempts_failed');
      recordResponse(traffic, { durationMs, isSuccess: error === null, isTimeout: error === 'timeout' });
    }
    this.#startQueue(queue);
    this.#report({ delivery, attempt: isCancelled ? null : { at, result }, isDetached });
  }

  async #call(
    endpoint: WebhookEndpointsTable,
    { delivery, body }: ClaimedDelivery,
    at: Timestamp,
  ): Promise<SendResult> {
    const { services, tenant } = this.#run;
    let headers: Record<string, string>;
    let own: readonly OwnHeader[];
    try {
      own = openHeaders(services.keyring, endpoint.sealed_headers);
      const signed = this.#sign(endpoint.sealed_secrets, { id: delivery.event_id, body, at });
      headers = { ...Object.fromEntries(own.map(({ name, value }) => [name, value])), ...signed };
    } catch (error) {
      const context = { err: error, webhook_id: endpoint.id };
      services.logger.error(context, 'a webhook secret cannot be decrypted: check APP_KEY and its predecessors');
      return unsendable;
    }
    const request = { url: endpoint.url, headers, body };
    const span = services.tracing?.start('POST webhook', 'client');
    const result = await services.webhookSender.send(request, this.#cancellation.signal);
    const attributes = {
      'licensing.tenant.id': tenant.id,
      'licensing.webhook.id': endpoint.id,
      'licensing.webhook.result': attemptResult(result),
    };
    span?.end({ attributes, isFailure: result.error !== null });
    return { ...result, responseBody: withoutValues(result.responseBody, own) };
  }

  #report(outcome: Outcome): void {
    if (!outcome.isDetached) this.#unrecorded += 1;
    this.#options.onOutcome(outcome);
  }

  /** Releases the slots of deliveries whose outcomes were recorded. */
  release(recorded: readonly Outcome[]): void {
    const detached = recorded.filter(({ isDetached }) => isDetached).length;
    this.#unrecorded -= recorded.length - detached;
    this.#detached -= detached;
  }

  /** Detaches overdue requests, and releases the deliveries that are queued behind them to the database. */
  detachOverdue(): void {
    const startedBeforeMs = performance.now() - slowMs;
    for (const attempt of this.#attempts) {
      if (attempt.startedMs > startedBeforeMs) return;
      const { queue } = attempt;
      recordOverdue(queue.traffic);
      for (let next = this.#take(queue); next !== undefined; next = this.#take(queue)) {
        this.#report({ delivery: next.delivery, attempt: null, isDetached: false });
      }
      if (this.#detach()) this.#attempts.delete(attempt);
    }
  }

  /** Returns false if the run does not detach requests, or if the limit of detached requests is reached. */
  #detach(): boolean {
    const { services, tenant } = this.#run;
    if (!this.#options.detachesOverdue || !services.webhookTraffic.detach(tenant.id)) return false;
    this.#detached += 1;
    return true;
  }

  /** Cancels all requests; their deliveries are released. */
  cancel(): void {
    this.#cancellation.abort();
  }
}

/** Returns the metric label of a result: all statuses of a class share one label, so that there are few labels. */
function attemptResult({ error }: SendResult): string {
  return error === null ? 'succeeded' : error.replace(/^(status_\d)\d\d$/, '$1xx');
}

const maskedMinLength = 8;

/** Masks the values of the headers in a response, which people can read. Some servers and gateways echo requests. */
function withoutValues(text: string | null, own: readonly OwnHeader[]): string | null {
  const values = own.map(({ value }) => value).filter(({ length }) => length >= maskedMinLength);
  return values.reduce<string | null>((masked, value) => masked?.replaceAll(value, '[removed]') ?? null, text);
}

const unsendable: SendResult = {
  responseStatus: null,
  responseBody: null,
  error: 'secret_unreadable',
  retryAfterMs: null,
  durationMs: 0,
};
