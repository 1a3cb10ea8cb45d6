import type { EventsTable, WebhookDeliveriesTable, WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { WaitingEndpoint } from './dispatch-queries.ts';
import type { EndpointTraffic } from './traffic.ts';

/** A delivery that a run has taken. */
export interface Claimed {
  readonly delivery: WebhookDeliveriesTable;
  readonly event: EventsTable;
  /** An attempt that begins later could outlive the lease (milliseconds of `performance.now()`). */
  readonly startBeforeMs: number;
}

/** What a run does for one endpoint. */
export interface Lane {
  endpoint: WebhookEndpointsTable;
  readonly queue: Claimed[];
  /** Its requests that hold a place of the run. */
  placed: number;
  readonly traffic: EndpointTraffic;
}

/** An endpoint for which something is due, and what is known of it. */
export interface Candidate {
  readonly endpoint: WaitingEndpoint;
  readonly traffic: EndpointTraffic;
  /** Taken by this run and not begun. */
  readonly queued: number;
}

/** How many deliveries an endpoint may be given now. */
export interface Quota {
  readonly webhookId: string;
  readonly limit: number;
}

export interface Bounds {
  /** The most deliveries that a run has in hand. */
  readonly limit: number;
  /** The most requests to one endpoint at once. */
  readonly concurrency: number;
}

/** Places that a run has: those that are free, and those among them that endpoints may have that are not well. */
export interface Places {
  readonly free: number;
  readonly freeForOthers: number;
}

/** What is taken and not sent within its lease was taken in vain. */
const takenForMs = 2000;
/** One claim is one transaction, during which an embedded database serves nothing else. */
const endpointsPerClaim = 50;

/**
 * How many places endpoints that are not known to be well may hold together: however many of them hang, the rest is
 * free for those that answer.
 */
export function placesOfOthers(limit: number): number {
  return Math.ceil((limit * 3) / 4);
}

/**
 * Shares the free places: a quarter of them, if wanted, among endpoints that are not known to be well, the rest among
 * those that are; within each group evenly, whoever has waited longest for a turn first. The queue of an endpoint
 * gives it no precedence, however long and old it is.
 */
export function shareOut(candidates: readonly Candidate[], places: Places, bounds: Bounds): Quota[] {
  const wanted = candidates
    .map((candidate) => ({ ...candidate, limit: wantedBy(candidate, bounds) }))
    .filter(({ limit }) => limit > 0)
    .sort(
      (left, right) =>
        left.traffic.turn - right.traffic.turn || (left.endpoint.due_at < right.endpoint.due_at ? -1 : 1),
    );
  const well = wanted.filter(({ traffic }) => traffic.isWell);
  const others = wanted.filter(({ traffic }) => !traffic.isWell);
  const kept = Math.min(Math.ceil(places.free / 4), places.freeForOthers, sumOf(others));
  const forWell = divide(well, places.free - kept);
  const forOthers = divide(others, Math.min(places.free - sumOf(forWell), places.freeForOthers));
  return [...forWell, ...forOthers];
}

/** How many an endpoint may be given now; 0 while it has enough. One that is not well gets no more than goes out at once. */
export function wantedBy({ traffic, queued }: Omit<Candidate, 'endpoint'>, { limit, concurrency }: Bounds): number {
  const atOnce = Math.min(traffic.window, concurrency);
  const soon = Math.floor((atOnce * takenForMs) / Math.max(1, traffic.lastMs));
  const target = traffic.isWell ? Math.max(atOnce, Math.min(limit, soon)) : atOnce;
  const taken = traffic.active + queued;
  // Many small claims would cost more than they bring.
  return taken * 2 > target ? 0 : target - taken;
}

function divide(wanted: readonly (Candidate & { readonly limit: number })[], places: number): Quota[] {
  const first = wanted.slice(0, endpointsPerClaim);
  let left = places;
  return first.flatMap(({ endpoint, limit }, index) => {
    const share = Math.min(limit, Math.ceil(left / (first.length - index)));
    left -= share;
    return share > 0 ? [{ webhookId: endpoint.id, limit: share }] : [];
  });
}

function sumOf(quotas: readonly { readonly limit: number }[]): number {
  return quotas.reduce((sum, { limit }) => sum + limit, 0);
}
