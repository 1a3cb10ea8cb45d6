import type { WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Services } from '../../../services.ts';
import type { ClaimedOfEndpoint } from './claiming.ts';
import type { ClaimedDelivery, DispatchTenant, EndpointQueue } from './dispatch.ts';
import type { Outcome } from './results-service.ts';
import type { SendResult } from './sender.ts';
import { createSigner, type SignHeaders } from './signature.ts';
import type { RunSlots } from './slots.ts';
import { isSlow, recordOverdue, recordResponse, requestLimit, slowMs } from './traffic.ts';

/** An active request. */
interface Attempt {
  readonly queue: EndpointQueue;
  readonly startedMs: number;
  /** True after the request has released its slot of the run. */
  isDetached: boolean;
}

interface SendingOptions {
  /** Maximum concurrent requests to one endpoint. */
  readonly concurrency: number;
  readonly detachesOverdue: boolean;
  readonly slots: RunSlots;
  /** Receives the outcome of every claimed delivery once. */
  readonly onOutcome: (outcome: Outcome) => void;
}

/** Sends the claimed deliveries of one run, with one queue per endpoint. */
export class Sending {
  readonly #services: Services;
  readonly #tenant: DispatchTenant;
  readonly #options: SendingOptions;
  readonly #sign: SignHeaders;
  readonly #queues = new Map<string, EndpointQueue>();
  /** Active requests that are not detached, in the order of their start. */
  readonly #attempts = new Set<Attempt>();
  readonly #cancellation = new AbortController();

  constructor(services: Services, tenant: DispatchTenant, options: SendingOptions) {
    this.#services = services;
    this.#tenant = tenant;
    this.#options = options;
    this.#sign = createSigner(services.keyring, services.clock.now());
  }

  /** Adds claimed deliveries to the queues of their endpoints, without starting them. Returns how many. */
  enqueue(claimed: readonly ClaimedOfEndpoint[]): number {
    let count = 0;
    for (const { endpoint, deliveries } of claimed) {
      const queue = this.#queueOf(endpoint);
      this.#services.webhookTraffic.countClaim(queue.traffic);
      queue.waiting.push(...deliveries);
      count += deliveries.length;
    }
    this.#options.slots.claim(count);
    return count;
  }

  /** Starts queued deliveries up to the request limits of their endpoints. */
  startQueued(): void {
    for (const queue of this.#queues.values()) this.#startQueue(queue);
  }

  /** Number of deliveries of an endpoint that are queued and not started. */
  queuedOf(webhookId: string): number {
    return this.#queues.get(webhookId)?.waiting.length ?? 0;
  }

  /** Number of slots that endpoints that are not healthy hold. */
  countUnhealthySlots(): number {
    let count = 0;
    for (const { traffic, waiting, slots } of this.#queues.values()) {
      if (traffic.status !== 'healthy') count += waiting.length + slots;
    }
    return count;
  }

  /** True if an overdue request holds a slot because it could not be detached. */
  isHeldUp(): boolean {
    const [oldest] = this.#attempts;
    return oldest !== undefined && performance.now() - oldest.startedMs > slowMs;
  }

  /** Detaches overdue requests, and releases the deliveries that are queued behind them to the database. */
  detachOverdue(): void {
    const startedBeforeMs = performance.now() - slowMs;
    for (const attempt of this.#attempts) {
      if (attempt.startedMs > startedBeforeMs) return;
      const { traffic, waiting } = attempt.queue;
      recordOverdue(traffic);
      for (const claimed of waiting.splice(0)) this.#release(claimed);
      if (this.#detach(attempt)) this.#attempts.delete(attempt);
    }
  }

  /** Cancels all requests; their deliveries are released. */
  cancel(): void {
    this.#cancellation.abort();
  }

  #queueOf(endpoint: WebhookEndpointsTable): EndpointQueue {
    const known = this.#queues.get(endpoint.id);
    if (known !== undefined) {
      known.endpoint = endpoint;
      return known;
    }
    const queue = { endpoint, waiting: [], slots: 0, traffic: this.#services.webhookTraffic.endpoint(endpoint.id) };
    this.#queues.set(endpoint.id, queue);
    return queue;
  }

  #startQueue(queue: EndpointQueue): void {
    const { traffic, waiting } = queue;
    while (traffic.active < requestLimit(traffic, this.#options.concurrency)) {
      const next = waiting.shift();
      if (next === undefined) return;
      void this.#deliver(queue, next);
    }
  }

  async #deliver(queue: EndpointQueue, claimed: ClaimedDelivery): Promise<void> {
    const { traffic } = queue;
    const { delivery, startBeforeMs } = claimed;
    const attempt: Attempt = { queue, startedMs: performance.now(), isDetached: false };
    if (attempt.startedMs > startBeforeMs) return this.#release(claimed);
    traffic.active += 1;
    queue.slots += 1;
    // A request to an endpoint that was slow last time is detached at once.
    if (!isSlow(traffic) || !this.#detach(attempt)) this.#attempts.add(attempt);
    const at = this.#services.clock.now();
    const result = await this.#send(queue.endpoint, claimed, at);
    this.#countAttempt(result);
    traffic.active -= 1;
    this.#attempts.delete(attempt);
    if (attempt.isDetached) this.#services.webhookTraffic.endDetached(this.#tenant.id);
    else queue.slots -= 1;
    const { error, durationMs } = result;
    const isCancelled = error === 'cancelled';
    const response = { durationMs, isSuccess: error === null, isTimeout: error === 'timeout' };
    if (!isCancelled) recordResponse(traffic, response);
    this.#startQueue(queue);
    this.#report({
      handled: { delivery, attempt: isCancelled ? null : { at, result } },
      isDetached: attempt.isDetached,
    });
  }

  /** Returns false if the run does not detach requests, or if the limit of detached requests is reached. */
  #detach(attempt: Attempt): boolean {
    if (!this.#options.detachesOverdue || !this.#services.webhookTraffic.detach(this.#tenant.id)) return false;
    attempt.isDetached = true;
    attempt.queue.slots -= 1;
    this.#options.slots.detach();
    return true;
  }

  #release({ delivery }: ClaimedDelivery): void {
    this.#report({ handled: { delivery, attempt: null }, isDetached: false });
  }

  #report(outcome: Outcome): void {
    if (!outcome.isDetached) this.#options.slots.addResult();
    this.#options.onOutcome(outcome);
  }

  #countAttempt(result: SendResult): void {
    const { activity, metrics } = this.#services;
    metrics.webhookAttempts.increment(attemptResult(result));
    // A cancelled attempt is released and sent again.
    if (result.error === 'cancelled') return;
    const counter = result.error === null ? 'webhook_attempts_succeeded' : 'webhook_attempts_failed';
    activity.count(this.#tenant.id, counter);
  }

  async #send(
    endpoint: WebhookEndpointsTable,
    { delivery, body }: ClaimedDelivery,
    at: Timestamp,
  ): Promise<SendResult> {
    const message = { id: delivery.event_id, body, at };
    let headers: Record<string, string>;
    try {
      headers = this.#sign(endpoint.sealed_secrets, message);
    } catch (error) {
      const context = { err: error, webhook_id: endpoint.id };
      this.#services.logger.error(context, 'a webhook secret cannot be decrypted: check APP_KEY and its predecessors');
      return unsendable;
    }
    const request = { url: endpoint.url, headers, body };
    const span = this.#services.tracing?.start('POST webhook', 'client');
    const result = await this.#services.webhookSender.send(request, this.#cancellation.signal);
    const attributes = {
      'licensing.tenant.id': this.#tenant.id,
      'licensing.webhook.id': endpoint.id,
      'licensing.webhook.result': attemptResult(result),
    };
    span?.end({ attributes, isFailure: result.error !== null });
    return result;
  }
}

/** Returns the metric label of a result: all statuses of a class share one label, so that there are few labels. */
function attemptResult({ error }: SendResult): string {
  return error === null ? 'succeeded' : error.replace(/^(status_\d)\d\d$/, '$1xx');
}

const unsendable: SendResult = {
  responseStatus: null,
  responseBody: null,
  error: 'secret_unreadable',
  retryAfterMs: null,
  durationMs: 0,
};
