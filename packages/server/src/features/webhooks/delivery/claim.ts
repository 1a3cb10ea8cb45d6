import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { WebhookDeliveriesTable, WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import type { Services } from '../../../services.ts';
import { readEnabledWebhooks } from '../endpoints/service.ts';
import {
  bringDeliveriesForward,
  endWaitingDeliveries,
  leaseDeliveries,
  listEvents,
  listWaitingEndpoints,
  lockDueDeliveries,
  type WaitingEndpoint,
} from './queries.ts';
import { messageBody } from './sender.ts';
import { type EndpointTraffic, requestLimit } from './traffic.ts';

/** Other processes take over the deliveries of a process that died after this time. */
const leaseMs = 30_000;
/** Time for recording a result between the end of the slowest attempt and the end of the lease. */
const recordingMs = 3000;
/** Deliveries that one transaction ends when their endpoint was disabled or deleted. */
const endedPerBatch = 500;
/** No delivery is postponed further: the longest scheduled wait is 10 h, which `Retry-After` may double. */
const longestWaitSeconds = 25 * 3600;
/** A healthy endpoint gets the deliveries that it can receive in this time: all must be sent within their lease. */
const claimAheadMs = 2000;
/**
 * Maximum endpoints per claim. A claim is one transaction, and an embedded database serves no other request meanwhile.
 */
const endpointsPerClaim = 50;

/** The tenant of a run. Its database is opened for each read and each transaction separately. */
export interface DispatchTenant {
  readonly id: string;
  withDb<Result>(work: (db: TenantDb) => Promise<Result>): Promise<Result>;
}

/** One run for one tenant. It claims deliveries under one lease id. */
export interface Run extends Bounds {
  readonly services: Services;
  readonly tenant: DispatchTenant;
  readonly leaseId: string;
}

/** Limits of a run. */
interface Bounds {
  /** Slots of the run. */
  readonly limit: number;
  /** Maximum concurrent requests to one endpoint. */
  readonly concurrency: number;
}

/** A delivery that a run has claimed. */
export interface ClaimedDelivery {
  readonly delivery: WebhookDeliveriesTable;
  /** The event's body, which is the same text for all of its endpoints. */
  readonly body: string;
  /** An attempt that starts later could outlive the lease (milliseconds of `performance.now()`). */
  readonly startBeforeMs: number;
}

/** The deliveries that were claimed for one endpoint. */
export interface ClaimedOfEndpoint {
  readonly endpoint: WebhookEndpointsTable;
  readonly deliveries: readonly ClaimedDelivery[];
}

/** The state of the run that limits a claim. */
interface ClaimRequest {
  readonly free: FreeSlots;
  /** True to claim only for healthy endpoints. */
  readonly onlyHealthy: boolean;
  /** Returns how many claimed deliveries of an endpoint have not been started. */
  readonly queuedOf: (webhookId: string) => number;
}

/**
 * Claims due deliveries of enabled endpoints, at most one per free slot. Also returns the disabled and deleted endpoints
 * for which deliveries wait.
 */
export async function claimDeliveries(
  run: Run,
  { free, onlyHealthy, queuedOf }: ClaimRequest,
): Promise<{ readonly claimed: readonly ClaimedOfEndpoint[]; readonly closed: readonly WaitingEndpoint[] }> {
  const { services, tenant } = run;
  const now = services.clock.now();
  const waiting = await listDueOrWaiting(tenant, now);
  const candidates = waiting
    .filter((endpoint) => isEnabled(endpoint) && endpoint.due_at <= now)
    .map((endpoint) => ({
      endpoint,
      traffic: services.webhookTraffic.endpoint(endpoint.id),
      queued: queuedOf(endpoint.id),
    }))
    .filter(({ traffic }) => !onlyHealthy || traffic.status === 'healthy');
  const quotas = shareSlots(candidates, free, run);
  const claimed =
    quotas.length === 0 ? [] : await tenant.withDb((db) => db.transaction((tx) => claimQuotas(tx, run, quotas, now)));
  return { claimed, closed: waiting.filter((endpoint) => !isEnabled(endpoint)) };
}

/** Leases due deliveries of each endpoint up to its quota, and reads their events. */
async function claimQuotas(
  tx: TenantTransaction,
  { services, tenant, leaseId }: Run,
  quotas: readonly Quota[],
  now: Timestamp,
): Promise<ClaimedOfEndpoint[]> {
  const startBeforeMs = performance.now() + leaseMs - services.webhookSender.timeoutMs - recordingMs;
  const rows = await readEnabledWebhooks(
    tx,
    quotas.map(({ webhookId }) => webhookId),
  );
  const endpoints = new Map(rows.map((row) => [row.id, row]));
  const locked = [];
  for (const { webhookId, limit } of quotas) {
    const endpoint = endpoints.get(webhookId);
    // The endpoint may have been disabled since it was listed.
    if (endpoint === undefined) continue;
    locked.push({ endpoint, deliveries: await lockDueDeliveries(tx, { webhookId, now, limit }) });
  }
  const all = locked.flatMap(({ deliveries }) => deliveries);
  if (all.length === 0) return [];
  const ids = all.map(({ id }) => id);
  await leaseDeliveries(tx, ids, leaseId, addSeconds(now, leaseMs / 1000));
  const events = await listEvents(tx, [...new Set(all.map(({ event_id }) => event_id))]);
  const bodies = new Map(events.map((event) => [event.id, messageBody(event, tenant.id)]));
  return locked.map(({ endpoint, deliveries }) => ({
    endpoint,
    deliveries: deliveries.map((delivery) => {
      const body = bodies.get(delivery.event_id);
      if (body === undefined)
        throw new Error(`The delivery ${delivery.id} has no event, although its foreign key requires one.`);
      return { delivery, body, startBeforeMs };
    }),
  }));
}

function isEnabled(endpoint: WaitingEndpoint): boolean {
  return endpoint.status === 'enabled' && endpoint.deleted_at === null;
}

/**
 * Returns the endpoints with pending deliveries. Deliveries that are due later than any schedule allows, because a
 * clock ran ahead, are made due first.
 */
async function listDueOrWaiting(tenant: DispatchTenant, now: Timestamp): Promise<WaitingEndpoint[]> {
  const after = addSeconds(now, longestWaitSeconds);
  const waiting = await tenant.withDb(listWaitingEndpoints);
  const late = waiting.filter(({ due_at }) => due_at > after).map(({ id }) => id);
  if (late.length === 0) return waiting;
  await tenant.withDb((db) => bringDeliveriesForward(db, late, { after, now }));
  return waiting.map((endpoint) => (endpoint.due_at > after ? { ...endpoint, due_at: now } : endpoint));
}

/** Ends deliveries that wait for disabled and deleted endpoints, up to 500 for each endpoint. Returns how many. */
export async function endWaiting({ services, tenant }: Run, closed: readonly WaitingEndpoint[]): Promise<number> {
  const now = services.clock.now();
  let count = 0;
  for (const { id, deleted_at } of closed) {
    const reason = deleted_at === null ? 'endpoint_disabled' : 'endpoint_deleted';
    const ending = { webhookId: id, reason, now, limit: endedPerBatch } as const;
    count += await tenant.withDb((db) => db.transaction((tx) => endWaitingDeliveries(tx, ending)));
  }
  return count;
}

/**
 * Returns when the next delivery may be claimed, or null if none is pending. An endpoint at its request
 * limit counts with the end of a lease: the run that sends those requests schedules the next run.
 */
export async function nextDue(run: Run): Promise<Timestamp | null> {
  const { services, tenant } = run;
  const waiting = await tenant.withDb(listWaitingEndpoints);
  const leaseEnd = addSeconds(services.clock.now(), leaseMs / 1000);
  const times = waiting.map((endpoint) => {
    const traffic = services.webhookTraffic.endpoint(endpoint.id);
    const isBusy = isEnabled(endpoint) && traffic.active > 0 && wantedBy({ traffic, queued: 0 }, run) === 0;
    return isBusy && endpoint.due_at < leaseEnd ? leaseEnd : endpoint.due_at;
  });
  return times.sort()[0] ?? null;
}

/** An endpoint with due deliveries. */
export interface Candidate {
  readonly endpoint: WaitingEndpoint;
  readonly traffic: EndpointTraffic;
  /** Number of deliveries that this run has claimed and not started. */
  readonly queued: number;
}

/** The most deliveries that the next claim may take for an endpoint. */
interface Quota {
  readonly webhookId: string;
  readonly limit: number;
}

/** The free slots of a run, and how many of them endpoints that are not healthy may take. */
interface FreeSlots {
  readonly total: number;
  readonly forUnhealthy: number;
}

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
