import type { WaitingEndpoint } from './dispatch-queries.ts';
import { type EndpointTraffic, requestLimit } from './traffic.ts';

/** An endpoint with due deliveries. */
export interface Candidate {
  readonly endpoint: WaitingEndpoint;
  readonly traffic: EndpointTraffic;
  /** Number of deliveries that this run has claimed and not started. */
  readonly queued: number;
}

/** The most deliveries that the next claim may take for an endpoint. */
export interface Quota {
  readonly webhookId: string;
  readonly limit: number;
}

/** Limits of a run. */
export interface Bounds {
  /** Slots of the run. */
  readonly limit: number;
  /** Maximum concurrent requests to one endpoint. */
  readonly concurrency: number;
}

/** The free slots of a run, and how many of them endpoints that are not healthy may take. */
export interface FreeSlots {
  readonly total: number;
  readonly forUnhealthy: number;
}

/** A healthy endpoint gets the deliveries that it can receive in this time: all must be sent within their lease. */
const claimAheadMs = 2000;
/**
 * Maximum endpoints per claim. A claim is one transaction, and an embedded database serves no other request meanwhile.
 */
const endpointsPerClaim = 50;

/**
 * Returns how many slots all endpoints that are not healthy may hold together. The other quarter stays free for healthy
 * endpoints, however many others hang.
 */
export function slotsForUnhealthy(limit: number): number {
  return Math.ceil((limit * 3) / 4);
}

/**
 * Divides the free slots among endpoints. A quarter of them, if needed, goes to endpoints that are not healthy; healthy
 * endpoints get the rest. In each group the shares are equal, and the endpoint whose last claim is the oldest comes
 * first. The length and the age of an endpoint's queue give it no precedence.
 */
export function shareSlots(candidates: readonly Candidate[], free: FreeSlots, bounds: Bounds): Quota[] {
  const wanted = candidates
    .map((candidate) => ({ ...candidate, limit: wantedBy(candidate, bounds) }))
    .filter(({ limit }) => limit > 0)
    .sort(
      (left, right) =>
        left.traffic.lastClaim - right.traffic.lastClaim || (left.endpoint.due_at < right.endpoint.due_at ? -1 : 1),
    );
  const healthy = wanted.filter(({ traffic }) => traffic.status === 'healthy');
  const others = wanted.filter(({ traffic }) => traffic.status !== 'healthy');
  const reserved = Math.min(Math.ceil(free.total / 4), free.forUnhealthy, sumOf(others));
  const forHealthy = divide(healthy, free.total - reserved);
  const forOthers = divide(others, Math.min(free.total - sumOf(forHealthy), free.forUnhealthy));
  return [...forHealthy, ...forOthers];
}

/**
 * Returns how many deliveries an endpoint may be given now, 0 while it has enough. An endpoint that is not healthy gets
 * no more than may be sent at the same time.
 */
export function wantedBy({ traffic, queued }: Omit<Candidate, 'endpoint'>, { limit, concurrency }: Bounds): number {
  const requests = requestLimit(traffic, concurrency);
  const sentSoon = Math.floor((requests * claimAheadMs) / Math.max(1, traffic.lastMs));
  const target = traffic.status === 'healthy' ? Math.max(requests, Math.min(limit, sentSoon)) : requests;
  const claimed = traffic.active + queued;
  // Claiming only when half the target is used avoids many small claims, which cost more than they gain.
  return claimed * 2 > target ? 0 : target - claimed;
}

function divide(wanted: readonly (Candidate & { readonly limit: number })[], slots: number): Quota[] {
  const first = wanted.slice(0, endpointsPerClaim);
  let left = slots;
  return first.flatMap(({ endpoint, limit }, index) => {
    const share = Math.min(limit, Math.ceil(left / (first.length - index)));
    left -= share;
    return share > 0 ? [{ webhookId: endpoint.id, limit: share }] : [];
  });
}

function sumOf(quotas: readonly { readonly limit: number }[]): number {
  return quotas.reduce((sum, { limit }) => sum + limit, 0);
}
