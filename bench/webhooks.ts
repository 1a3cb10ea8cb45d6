import { setTimeout as delay } from 'node:timers/promises';
import type { OpenServices } from '../packages/server/src/app.ts';
import { createTenant } from '../packages/server/src/features/accounts/tenants/service.ts';
import { presentLicense } from '../packages/server/src/features/licensing/licenses/license.ts';
import { findLicense } from '../packages/server/src/features/licensing/licenses/queries.ts';
import { deliveryJobKind } from '../packages/server/src/features/tenant-core/events/event.ts';
import { recordEvent } from '../packages/server/src/features/tenant-core/events/service.ts';
import { createWebhook } from '../packages/server/src/features/webhooks/endpoints/service.ts';
import { addSeconds } from '../packages/server/src/lib/duration.ts';
import { newId } from '../packages/server/src/lib/ids.ts';
import { systemActor } from '../packages/server/src/tenancy/system-actor.ts';
import { findTenantRecord, limitsOf } from '../packages/server/src/tenancy/tenant-record.ts';
import { deliveryCopies, fillTenant } from './data.ts';
import { isQuick, median } from './measure.ts';
import { cpuSeconds, type ServerProcess, startFloor, startService } from './processes.ts';
import {
  type Applicant,
  adminToken,
  call,
  createAdmin,
  createApplicant,
  createSite,
  type Site,
  withSite,
} from './site.ts';
import { perSecond, type Row, times } from './table.ts';

const rounds = isQuick ? 1 : 3;
const deliveries = isQuick ? 2000 : 20_000;
/** The first third of the deliveries is the warm-up and does not count. */
const warmUpShare = 1 / 3;
const targetPerSecond = 5000;
const targetShare = 0.4;
/** Maximum concurrent requests to one endpoint; the reference client uses the same number. */
const concurrency = 16;
const changes = isQuick ? 5 : 40;
const pauseMs = 200;
const targetLatencyMs = 50;
const tenants = isQuick ? 20 : 1000;
const pendingPerTenant = 100;
const pollMs = 20;

/**
 * Measures webhooks on the embedded engine with a receiver on loopback: throughput, the time from a change to the first
 * attempt, and the start of a service with many pending deliveries.
 */
export async function benchmarkWebhooks(): Promise<Row[]> {
  const receiver = await startFloor('webhook-receiver', {});
  try {
    return [
      await deliveryRow(receiver, { name: 'one endpoint', tenants: 1, endpoints: 1, hasTarget: true }),
      await deliveryRow(receiver, {
        name: '20 tenants with 3 endpoints each',
        tenants: 20,
        endpoints: 3,
        hasTarget: false,
      }),
      await latencyRow(receiver),
      await startRow(receiver),
    ];
  } finally {
    await receiver.stop();
  }
}

async function createWebhookSite(): Promise<Site> {
  const site = await createSite();
  return { ...site, env: { ...site.env, WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' } };
}

function urlOf(receiver: ServerProcess, path: string): string {
  return `http://127.0.0.1:${receiver.port}${path}`;
}

/** Sends a command to the receiver and returns its JSON response. */
async function requestFrom<Body>(receiver: ServerProcess, path: string): Promise<Body> {
  return (await (await fetch(urlOf(receiver, path))).json()) as Body;
}

/** Creates an applicant with endpoints that subscribe to every event. */
async function createSubscriber(services: OpenServices, urls: readonly string[]): Promise<Applicant> {
  const applicant = await createApplicant(services, 'Subscriber');
  await services.tenants.withTenantDb(applicant.tenantId, async (db) => {
    const record = await findTenantRecord(services.platform, applicant.tenantId);
    if (record === undefined) throw new Error('The new tenant has no record.');
    const tenant = { id: applicant.tenantId, name: 'Subscriber', limits: limitsOf(record), db };
    for (const url of urls) await createWebhook(services, tenant, systemActor, { url, events: ['*'] });
  });
  return applicant;
}

/** Gives the tenant `count` pending events of `license.created` for each endpoint. Returns the body of one. */
async function fillWithEvents(site: Site, { tenantId }: Applicant, count: number): Promise<string> {
  const { event, deliveries } = await withSite(site, ({ clock, tenants: pool, licenseValidations }) =>
    pool.withTenantDb(tenantId, async (db) => {
      const { query } = db;
      const at = clock.now();
      const { id } = await query.selectFrom('licenses').select('id').executeTakeFirstOrThrow();
      const license = await findLicense(query, id, at);
      if (license === undefined) throw new Error('The license does not exist.');
      const data = () => presentLicense(license, at, licenseValidations);
      await db.transaction((tx) => recordEvent(tx, { type: 'license.created', data, requestId: newId(), at }));
      return {
        event: await query.selectFrom('events').selectAll().executeTakeFirstOrThrow(),
        deliveries: await query.selectFrom('webhook_deliveries').selectAll().execute(),
      };
    }),
  );
  await fillTenant(site, tenantId, deliveryCopies(event, deliveries, count));
  await withSite(site, async ({ wakeUps, clock }) =>
    wakeUps.scheduleAfterCommit(tenantId, deliveryJobKind, clock.now()),
  );
  const { id, type, occurred_at, request_id, data_json } = event;
  const head = { id, type, occurred_at, tenant_id: tenantId, request_id, api_version: '1' };
  return JSON.stringify({ ...head, data: JSON.parse(data_json) });
}

interface Drained {
  readonly perSecond: number;
  /** CPU time of the sender per delivery. */
  readonly cpuMicros: number;
}

/**
 * Waits until `total` deliveries have arrived. Measures those after the warm-up. `recordingMs` is the time that the
 * sender then needs to record the last results.
 */
async function drain(
  receiver: ServerProcess,
  sender: ServerProcess,
  { total, recordingMs }: { readonly total: number; readonly recordingMs: number },
): Promise<Drained> {
  const countedFrom = Math.floor(total * warmUpShare);
  let warm: { readonly count: number; readonly cpu: number } | undefined;
  for (;;) {
    const path = `/rate?from=${countedFrom}`;
    const { count, perSecond: rate } = await requestFrom<{ count: number; perSecond: number }>(receiver, path);
    if (count >= countedFrom) warm ??= { count, cpu: cpuSeconds(sender.pid) };
    if (warm !== undefined && count >= total) {
      await delay(recordingMs);
      return { perSecond: rate, cpuMicros: ((cpuSeconds(sender.pid) - warm.cpu) / (count - warm.count)) * 1e6 };
    }
    await delay(pollMs);
  }
}

interface DeliveryLoad {
  readonly name: string;
  readonly tenants: number;
  /** Endpoints of each tenant. */
  readonly endpoints: number;
  readonly hasTarget: boolean;
}

interface DeliveryRound {
  readonly ours: Drained;
  readonly floor: Drained;
}

async function deliveryRound(
  receiver: ServerProcess,
  { tenants: tenantCount, endpoints }: DeliveryLoad,
): Promise<DeliveryRound> {
  const site = await createWebhookSite();
  try {
    const events = Math.floor(deliveries / tenantCount / endpoints);
    const paths = Array.from({ length: endpoints }, (_, index) => `/${index}`);
    const urls = paths.map((path) => urlOf(receiver, path));
    const subscribers = await withSite(site, async (services) => {
      const created: Applicant[] = [];
      for (let index = 0; index < tenantCount; index += 1) created.push(await createSubscriber(services, urls));
      return created;
    });
    let body = '';
    for (const subscriber of subscribers) body = await fillWithEvents(site, subscriber, events);
    const total = events * endpoints * tenantCount;
    await requestFrom(receiver, '/reset');
    const service = await startService(site);
    const ours = await drain(receiver, service, { total, recordingMs: pauseMs });
    await service.stop();
    await requestFrom(receiver, '/reset');
    const bare = await startFloor('floor-webhooks', { url: urlOf(receiver, '/'), paths, body, concurrency });
    const floor = await drain(receiver, bare, { total, recordingMs: 0 });
    await bare.stop();
    return { ours, floor };
  } finally {
    await site.remove();
  }
}

async function deliveryRow(receiver: ServerProcess, load: DeliveryLoad): Promise<Row> {
  const all: DeliveryRound[] = [];
  for (let round = 0; round < rounds; round += 1) all.push(await deliveryRound(receiver, load));
  const rate = median(all.map(({ ours }) => ours.perSecond));
  const ratio = median(all.map(({ ours, floor }) => ours.perSecond / floor.perSecond));
  const cpuRatio = median(all.map(({ ours, floor }) => floor.cpuMicros / ours.cpuMicros));
  const isReached = rate >= targetPerSecond && Math.min(ratio, cpuRatio) >= targetShare;
  const described = (who: 'ours' | 'floor') => {
    const cpuMicros = median(all.map((round) => round[who].cpuMicros));
    return `${perSecond(median(all.map((round) => round[who].perSecond)))} (${cpuMicros.toFixed(1)} µs CPU)`;
  };
  return {
    name: `webhook deliveries, embedded, ${load.name}`,
    ours: described('ours'),
    floor: described('floor'),
    ratio: `${times(ratio)} (CPU ${times(cpuRatio)})`,
    target: load.hasTarget ? `≥ ${perSecond(targetPerSecond)}, both ≥ ${times(targetShare)}` : '-',
    verdict: load.hasTarget ? (isReached ? 'ok' : 'short') : 'info',
  };
}

async function arrivalMs(receiver: ServerProcess, requestId: string): Promise<number> {
  for (;;) {
    const { at } = await requestFrom<{ at: number | null }>(receiver, `/arrival?request=${requestId}`);
    if (at !== null) return at;
    await delay(pollMs);
  }
}

/** Measures the time from the response to a change, which follows its commit, to the arrival of its event. */
async function latencyRow(receiver: ServerProcess): Promise<Row> {
  const site = await createWebhookSite();
  try {
    const { tenantId } = await withSite(site, async (services) => {
      await createAdmin(services);
      return await createSubscriber(services, [urlOf(receiver, '/watched')]);
    });
    const service = await startService(site);
    const token = await adminToken(service.port);
    const path = `/api/v1/admin/tenants/${tenantId}/licenses`;
    const { policy_id } = (await listed(service, path, token))[0] ?? {};
    const waits: number[] = [];
    for (let change = 0; change < changes; change += 1) {
      await delay(pauseMs);
      const requestId = newId();
      await call(service.port, 'POST', path, { policy_id }, token, requestId);
      const respondedAt = performance.timeOrigin + performance.now();
      waits.push((await arrivalMs(receiver, requestId)) - respondedAt);
    }
    await service.stop();
    const waitMs = median(waits);
    return {
      name: 'from a change to the first attempt, idle, median',
      ours: `${waitMs.toFixed(1)} ms (longest ${Math.max(...waits).toFixed(1)} ms)`,
      floor: '-',
      ratio: '-',
      target: `≤ ${targetLatencyMs} ms`,
      verdict: waitMs <= targetLatencyMs ? 'ok' : 'short',
    };
  } finally {
    await site.remove();
  }
}

async function listed({ port }: ServerProcess, path: string, token: string): Promise<{ policy_id: string }[]> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${token}` } });
  return ((await response.json()) as { data: { policy_id: string }[] }).data;
}

interface Start {
  readonly readyMs: number;
  readonly opened: number;
}

async function timedStart(site: Site): Promise<Start> {
  const startedAt = performance.now();
  const service = await startService(site);
  const readyMs = performance.now() - startedAt;
  await delay(pauseMs);
  const metrics = await (await fetch(`http://127.0.0.1:${service.port}/metrics`)).text();
  await service.stop();
  return { readyMs, opened: Number(/^open_tenants (\d+)$/m.exec(metrics)?.[1]) };
}

/** Measures a start with pending deliveries in many tenants, whose next attempts are due in an hour. */
async function startRow(receiver: ServerProcess): Promise<Row> {
  const [empty, full] = [await createWebhookSite(), await createWebhookSite()];
  try {
    await fillTenants(full, urlOf(receiver, '/'));
    const pairs: { empty: Start; full: Start }[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      pairs.push({ empty: await timedStart(empty), full: await timedStart(full) });
    }
    const opened = Math.max(...pairs.map((pair) => pair.full.opened));
    const readyMs = (of: 'empty' | 'full') => median(pairs.slice(1).map((pair) => pair[of].readyMs)).toFixed(0);
    return {
      name: `start with ${tenants * pendingPerTenant} deliveries that wait in ${tenants} tenants`,
      ours: `${opened} tenants opened, ready in ${readyMs('full')} ms`,
      floor: `${readyMs('empty')} ms empty`,
      ratio: '-',
      target: 'opens none',
      verdict: opened === 0 ? 'ok' : 'short',
    };
  } finally {
    await empty.remove();
    await full.remove();
  }
}

async function fillTenants(site: Site, url: string): Promise<void> {
  await withSite(site, async (services) => {
    for (let index = 0; index < tenants; index += 1) {
      const tenantId = await createTenant(services, systemActor, { name: `Waiting ${index}` });
      const record = await findTenantRecord(services.platform, tenantId);
      if (record === undefined) throw new Error('The new tenant has no record.');
      const dueAt = addSeconds(services.clock.now(), 3600);
      await services.tenants.withTenantDb(tenantId, async (db) => {
        const tenant = { id: tenantId, name: record.name, limits: limitsOf(record), db };
        await createWebhook(services, tenant, systemActor, { url, events: ['*'] });
        await db.transaction(async (tx) => {
          for (let count = 0; count < pendingPerTenant; count += 1) {
            const data = () => ({ license_id: newId(), entitlement: 'renders', limit: 5, usage: 5, resets_at: null });
            await recordEvent(tx, { type: 'entitlement.limit_reached', data, requestId: null, at: dueAt });
          }
        });
      });
      services.wakeUps.scheduleAfterCommit(tenantId, deliveryJobKind, dueAt);
    }
  });
}
