import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import type { DispatchTenant } from './dispatch.ts';
import { bringDeliveriesForward, listWaitingEndpoints, type WaitingEndpoint } from './dispatch-queries.ts';

/** No delivery is postponed further: the longest scheduled wait is 10 h, which `Retry-After` may double. */
const longestWaitSeconds = 25 * 3600;

/**
 * Returns the endpoints with pending deliveries. Deliveries that are due later than any schedule allows, because a
 * clock ran ahead, are made due first.
 */
export async function listDueOrWaiting(tenant: DispatchTenant, now: Timestamp): Promise<WaitingEndpoint[]> {
  const after = addSeconds(now, longestWaitSeconds);
  const waiting = await tenant.withDb(listWaitingEndpoints);
  const late = waiting.filter(({ due_at }) => due_at > after).map(({ id }) => id);
  if (late.length === 0) return waiting;
  await tenant.withDb((db) => bringDeliveriesForward(db, late, { after, now }));
  return waiting.map((endpoint) => (endpoint.due_at > after ? { ...endpoint, due_at: now } : endpoint));
}
