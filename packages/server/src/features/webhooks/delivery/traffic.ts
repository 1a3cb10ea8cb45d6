import { setTimeout as delay } from 'node:timers/promises';

/**
 * The state of an endpoint according to its last response.
 *
 * - `unknown`: this process has sent it nothing yet.
 * - `healthy`: it responded with a 2xx status within a second.
 * - `failing`: it responded with another status, or the connection failed, within a second.
 * - `slow`: it took longer than a second, or a request takes longer now.
 * - `silent`: it did not respond within the timeout, or its first request takes longer than a second now.
 */
export type EndpointStatus = 'unknown' | 'healthy' | 'failing' | 'slow' | 'silent';

/** The requests of this process to one endpoint. */
export interface EndpointTraffic {
  /** Number of active requests. */
  active: number;
  status: EndpointStatus;
  /** Duration of the last request in milliseconds. */
  lastMs: number;
  /** Sequence number of the last claim for this endpoint among all endpoints. The lowest number is served first. */
  lastClaim: number;
}

/** Detached requests of one run that has ended. */
export interface DetachedRequests {
  /** Cancels the requests; their deliveries are released. */
  readonly cancel: () => void;
  /** Resolves when all results are recorded. */
  readonly recorded: Promise<void>;
}

/** A request that takes longer is overdue, and its endpoint is slow. */
export const slowMs = 1000;

/** Maximum detached requests of a process. Each costs a socket and its message. */
const detachedMax = 2000;
/** Maximum remembered endpoints, some 150 bytes each. */
const endpointsMax = 20_000;
/** Number of entries that are evicted together at the maximum. */
const forgottenPerRound = 1000;

/**
 * The requests that this process is sending, shared by the runs of all tenants. An overdue request is detached from its
 * run: it releases its slot and continues here. Endpoints that hang therefore delay neither the other endpoints of
 * their tenant nor the runs of other tenants.
 */
export class DeliveryTraffic {
  readonly #endpoints = new Map<string, EndpointTraffic>();
  readonly #detachedByTenant = new Map<string, number>();
  readonly #detachedRequests = new Set<DetachedRequests>();
  readonly #detachedMax: number;
  #detachedCount = 0;
  #claims = 0;
  #isStopped = false;

  constructor(limits: { readonly detached?: number } = {}) {
    this.#detachedMax = limits.detached ?? detachedMax;
  }

  /** Number of active requests that are detached. */
  get detachedCount(): number {
    return this.#detachedCount;
  }

  /** Returns the state of an endpoint. Unused entries are evicted; their endpoints become `unknown` again. */
  endpoint(id: string): EndpointTraffic {
    let known = this.#endpoints.get(id);
    if (known === undefined) {
      if (this.#endpoints.size >= endpointsMax) this.#forgetSome();
      known = { active: 0, status: 'unknown', lastMs: 0, lastClaim: 0 };
      this.#endpoints.set(id, known);
    }
    return known;
  }

  #forgetSome(): void {
    let left = forgottenPerRound;
    for (const [id, { active }] of this.#endpoints) {
      if (active > 0) continue;
      this.#endpoints.delete(id);
      left -= 1;
      if (left === 0) return;
    }
  }

  /** Records that deliveries were claimed for an endpoint: all other endpoints are served before its next claim. */
  countClaim(endpoint: EndpointTraffic): void {
    this.#claims += 1;
    endpoint.lastClaim = this.#claims;
  }

  /**
   * Counts a request as detached. Returns false if the limit is reached. A tenant may have as many detached requests as
   * remain free for all tenants: a single tenant gets half of the maximum, and every further tenant still gets some.
   */
  detach(tenantId: string): boolean {
    const own = this.#detachedByTenant.get(tenantId) ?? 0;
    if (this.#isStopped || own >= this.#detachedMax - this.#detachedCount) return false;
    this.#detachedByTenant.set(tenantId, own + 1);
    this.#detachedCount += 1;
    return true;
  }

  /** Records that a detached request has ended. */
  endDetached(tenantId: string): void {
    const left = (this.#detachedByTenant.get(tenantId) ?? 1) - 1;
    if (left === 0) this.#detachedByTenant.delete(tenantId);
    else this.#detachedByTenant.set(tenantId, left);
    this.#detachedCount -= 1;
  }

  /** Registers the detached requests of a run that has ended, so that `stop` waits for them. */
  register(requests: DetachedRequests): void {
    this.#detachedRequests.add(requests);
    void requests.recorded.then(() => this.#detachedRequests.delete(requests));
  }

  /**
   * Detaches no more requests, waits up to `graceMs` milliseconds for the detached ones, and then cancels them.
   * Resolves when all results are recorded.
   */
  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true;
    const all = () => Promise.all([...this.#detachedRequests].map(({ recorded }) => recorded));
    const stop = new AbortController();
    await Promise.race([all(), delay(graceMs, undefined, { signal: stop.signal }).catch(() => undefined)]);
    stop.abort();
    for (const { cancel } of this.#detachedRequests) cancel();
    await all();
  }
}

/** Returns true if the endpoint did not respond in time, or takes longer than a second now. */
export function isSlow({ status }: EndpointTraffic): boolean {
  return status === 'slow' || status === 'silent';
}

/**
 * Returns how many requests an endpoint may receive at the same time: one if no response is known, so
 * that a thousand endpoints that hang hold a thousand sockets and not sixteen thousand; else `concurrency`.
 */
export function requestLimit({ status }: EndpointTraffic, concurrency: number): number {
  return status === 'unknown' || status === 'silent' ? 1 : concurrency;
}

/** Updates the status of an endpoint of which a request is overdue. */
export function recordOverdue(endpoint: EndpointTraffic): void {
  const hasResponded = endpoint.status !== 'unknown' && endpoint.status !== 'silent';
  endpoint.status = hasResponded ? 'slow' : 'silent';
}

/** Updates the status of an endpoint after a request. `isSuccess`: a 2xx status. `isTimeout`: no response in time. */
export function recordResponse(
  endpoint: EndpointTraffic,
  response: { readonly durationMs: number; readonly isSuccess: boolean; readonly isTimeout: boolean },
): void {
  endpoint.lastMs = response.durationMs;
  if (response.isTimeout) endpoint.status = 'silent';
  else if (response.durationMs >= slowMs) endpoint.status = 'slow';
  else endpoint.status = response.isSuccess ? 'healthy' : 'failing';
}
