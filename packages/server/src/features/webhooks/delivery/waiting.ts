import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import type { DispatchTenant } from './dispatch.ts';
import { bringDeliveriesForward, listWaitingEndpoints, type WaitingEndpoint } from './dispatch-queries.ts';

/** The longest wait of the schedule is 12 h, and an endpoint may ask for twice as much. */
const longestWaitSeconds = 25 * 3600;

/** Endpoints for which something waits. What a clock that was ahead put off to after any schedule is due. */
export async function listDueOrWaiting(tenant: DispatchTenant, now: Timestamp): Promise<WaitingEndpoint[]> {
  const after = addSeconds(now, longestWaitSeconds);
  const waiting = await tenant.withDb(listWaitingEndpoints);
  const late = waiting.filter(({ due_at }) => due_at > after).map(({ id }) => id);
  if (late.length === 0) return waiting;
  await tenant.withDb((db) => bringDeliveriesForward(db, late, { after, now }));
  return waiting.map((endpoint) => (endpoint.due_at > after ? { ...endpoint, due_at: now } : endpoint));
}
