import type { EventsTable, WebhookDeliveriesTable } from '../../../db/webhook-tables.ts';
import type { WaitingEndpoint } from '../dispatch-queries.ts';

/** A delivery that a run has taken. */
export interface Claimed {
  readonly delivery: WebhookDeliveriesTable;
  readonly event: EventsTable;
  /** An attempt that begins later could outlive the lease (milliseconds of `performance.now()`). */
  readonly startBeforeMs: number;
}

/** What a run does for one endpoint. */
export interface Lane {
  endpoint: WaitingEndpoint;
  readonly queue: Claimed[];
  active: number;
  /** It answered quickly last time: more may be taken than can be sent at once. */
  isQuick: boolean;
}

/** How many deliveries each endpoint may be given now. */
export interface Quota {
  readonly endpoint: WaitingEndpoint;
  readonly limit: number;
}

/**
 * Shares `free` places among the endpoints that wait, evenly, those that have waited longest first. An endpoint that
 * is slow, or not known yet, gets no more than it can be sent at once: what is taken for it would only wait, and the
 * lease run out.
 */
export function shareOut(
  waiting: readonly WaitingEndpoint[],
  lanes: ReadonlyMap<string, Lane>,
  free: number,
  bounds: { readonly limit: number; readonly concurrency: number },
): Quota[] {
  const wanted = waiting
    .map((endpoint) => ({ endpoint, limit: wantedBy(lanes.get(endpoint.id), bounds) }))
    .filter(({ limit }) => limit > 0)
    .sort((left, right) => (left.endpoint.due_at < right.endpoint.due_at ? -1 : 1));
  let left = free;
  return wanted.flatMap(({ endpoint, limit }, index) => {
    const share = Math.min(limit, Math.ceil(left / (wanted.length - index)));
    left -= share;
    return share > 0 ? [{ endpoint, limit: share }] : [];
  });
}

function wantedBy(lane: Lane | undefined, bounds: { readonly limit: number; readonly concurrency: number }): number {
  const target = lane?.isQuick ? bounds.limit : bounds.concurrency;
  const inHand = lane === undefined ? 0 : lane.active + lane.queue.length;
  // Many small claims would cost more than they bring.
  return inHand * 2 > target ? 0 : target - inHand;
}
