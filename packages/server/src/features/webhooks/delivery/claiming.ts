import type { TenantTransaction } from '../../../db/database.ts';
import type { WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import { readEnabledWebhooks, updateSecretEncryption } from '../endpoints/service.ts';
import type { ClaimedDelivery, DispatchTenant } from './dispatch.ts';
import {
  bringDeliveriesForward,
  endWaitingDeliveries,
  leaseDeliveries,
  listEvents,
  listWaitingEndpoints,
  lockDueDeliveries,
  type WaitingEndpoint,
} from './dispatch-queries.ts';
import { type Bounds, type FreeSlots, type Quota, shareSlots, wantedBy } from './quotas.ts';
import { messageBody } from './signature.ts';

/** Other processes take over the deliveries of a process that died after this time. */
const leaseMs = 30_000;
/** Time for recording a result between the end of the slowest attempt and the end of the lease. */
const recordingMs = 3000;
/** Deliveries that one transaction ends when their endpoint was disabled or deleted. */
const endedPerBatch = 500;

/** The deliveries that were claimed for one endpoint. */
export interface ClaimedOfEndpoint {
  readonly endpoint: WebhookEndpointsTable;
  readonly deliveries: readonly ClaimedDelivery[];
}

/** The result of a claim. */
interface Claim {
  readonly claimed: readonly ClaimedOfEndpoint[];
  /** Disabled and deleted endpoints for which deliveries wait. */
  readonly closed: readonly WaitingEndpoint[];
}

/** The state of the run that limits a claim. */
interface ClaimRequest {
  readonly free: FreeSlots;
  /** True to claim only for healthy endpoints. */
  readonly onlyHealthy: boolean;
  /** Returns how many claimed deliveries of an endpoint have not been started. */
  readonly queuedOf: (webhookId: string) => number;
}

/** Claims the deliveries of one run under one lease id. */
export class Claiming {
  readonly leaseId = newId();
  readonly #services: Services;
  readonly #tenant: DispatchTenant;
  readonly #bounds: Bounds;

  constructor(services: Services, tenant: DispatchTenant, bounds: Bounds) {
    this.#services = services;
    this.#tenant = tenant;
    this.#bounds = bounds;
  }

  /** Claims due deliveries of enabled endpoints, at most one per free slot. */
  async claim({ free, onlyHealthy, queuedOf }: ClaimRequest): Promise<Claim> {
    const now = this.#services.clock.now();
    const waiting = await listDueOrWaiting(this.#tenant, now);
    const candidates = waiting
      .filter((endpoint) => isEnabled(endpoint) && endpoint.due_at <= now)
      .map((endpoint) => ({
        endpoint,
        traffic: this.#services.webhookTraffic.endpoint(endpoint.id),
        queued: queuedOf(endpoint.id),
      }))
      .filter(({ traffic }) => !onlyHealthy || traffic.status === 'healthy');
    const quotas = shareSlots(candidates, free, this.#bounds);
    const startBeforeMs = performance.now() + leaseMs - this.#services.webhookSender.timeoutMs - recordingMs;
    const request = { tenantId: this.#tenant.id, quotas, leaseId: this.leaseId, now, startBeforeMs };
    const claimed = quotas.length === 0 ? [] : await this.#transact((tx) => claimQuotas(tx, request));
    return { claimed, closed: waiting.filter((endpoint) => !isEnabled(endpoint)) };
  }

  /** Ends deliveries that wait for disabled and deleted endpoints, up to 500 for each endpoint. Returns how many. */
  async endWaiting(closed: readonly WaitingEndpoint[]): Promise<number> {
    const now = this.#services.clock.now();
    let count = 0;
    for (const { id, deleted_at } of closed) {
      const reason = deleted_at === null ? 'endpoint_disabled' : 'endpoint_deleted';
      const ending = { webhookId: id, reason, now, limit: endedPerBatch } as const;
      count += await this.#transact((tx) => endWaitingDeliveries(tx, ending));
    }
    return count;
  }

  /** Encrypts the secrets of endpoints under the current application key where an older key encrypted them. */
  async updateSecrets(claimed: readonly ClaimedOfEndpoint[]): Promise<void> {
    const { keyring } = this.#services;
    for (const { endpoint } of claimed) {
      await updateSecretEncryption(keyring, (work) => this.#tenant.withDb(work), endpoint);
    }
  }

  /**
   * Returns when the next delivery may be claimed, or null if none is pending. An endpoint at its request
   * limit counts with the end of a lease: the run that sends those requests schedules the next run.
   */
  async nextDue(): Promise<Timestamp | null> {
    const waiting = await this.#tenant.withDb(listWaitingEndpoints);
    const leaseEnd = addSeconds(this.#services.clock.now(), leaseMs / 1000);
    const times = waiting.map((endpoint) => {
      const { due_at } = endpoint;
      return due_at < leaseEnd && this.#isBusy(endpoint) ? leaseEnd : due_at;
    });
    return times.sort()[0] ?? null;
  }

  #isBusy(endpoint: WaitingEndpoint): boolean {
    const traffic = this.#services.webhookTraffic.endpoint(endpoint.id);
    return isEnabled(endpoint) && traffic.active > 0 && wantedBy({ traffic, queued: 0 }, this.#bounds) === 0;
  }

  #transact<Result>(work: (tx: TenantTransaction) => Promise<Result>): Promise<Result> {
    return this.#tenant.withDb((db) => db.transaction(work));
  }
}

interface QuotaClaim {
  readonly tenantId: string;
  readonly quotas: readonly Quota[];
  readonly leaseId: string;
  readonly now: Timestamp;
  readonly startBeforeMs: number;
}

/** Leases due deliveries of each endpoint up to its quota, and reads their events. */
async function claimQuotas(
  tx: TenantTransaction,
  { tenantId, quotas, leaseId, now, startBeforeMs }: QuotaClaim,
): Promise<ClaimedOfEndpoint[]> {
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
  const bodies = new Map(events.map((event) => [event.id, messageBody(event, tenantId)]));
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

/** No delivery is postponed further: the longest scheduled wait is 10 h, which `Retry-After` may double. */
const longestWaitSeconds = 25 * 3600;

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
