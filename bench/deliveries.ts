import { setTimeout as delay } from 'node:timers/promises';
import type { OpenServices } from '../packages/server/src/app.ts';
import { presentLicense } from '../packages/server/src/features/licensing/licenses/license.ts';
import { findLicense } from '../packages/server/src/features/licensing/licenses/queries.ts';
import { deliveryJobKind } from '../packages/server/src/features/tenant-core/events/event.ts';
import { recordEvent } from '../packages/server/src/features/tenant-core/events/service.ts';
import { createWebhook } from '../packages/server/src/features/webhooks/endpoints/service.ts';
import { newId } from '../packages/server/src/lib/ids.ts';
import { systemActor } from '../packages/server/src/tenancy/tenant.ts';
import { deliveryCopies, fillTenant } from './data.ts';
import { isQuick, median } from './measure.ts';
import { cpuSeconds, type ServerProcess, startFloor, startService } from './processes.ts';
import { createApplicant, createSite, openTenant, type Site, withSite } from './site.ts';
import { perSecond, type Row, times } from './table.ts';

const rounds = isQuick ? 1 : 3;
const deliveries = isQuick ? 2000 : 20_000;
/** The first third of the deliveries is the warm-up and does not count. */
const countedFrom = Math.floor(deliveries / 3);
const targetPerSecond = 5000;
const targetShare = 0.4;
/** Maximum concurrent requests to one endpoint; the floor uses the same number. */
const concurrency = 16;
/** The time that the service needs to record the last results. */
const recordingMs = 200;
const pollMs = 20;

/** Compares the delivery of pending webhooks to one endpoint with a bare HTTP client. */
export async function benchmarkDeliveries(): Promise<Row[]> {
  const receiver = await startFloor('webhook-receiver', {});
  const all: { ours: Drained; floor: Drained }[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) all.push(await measureRound(receiver));
  } finally {
    await receiver.stop();
  }
  const rate = median(all.map(({ ours }) => ours.perSecond));
  const ratio = median(all.map(({ ours, floor }) => ours.perSecond / floor.perSecond));
  const cpuRatio = median(all.map(({ ours, floor }) => floor.cpuMicros / ours.cpuMicros));
  const described = (who: 'ours' | 'floor') => {
    const cpuMicros = median(all.map((round) => round[who].cpuMicros));
    return `${perSecond(median(all.map((round) => round[who].perSecond)))} (${cpuMicros.toFixed(1)} µs CPU)`;
  };
  return [
    {
      name: 'webhook deliveries, embedded, one endpoint',
      ours: described('ours'),
      floor: described('floor'),
      ratio: `${times(ratio)} (CPU ${times(cpuRatio)})`,
      target: `≥ ${perSecond(targetPerSecond)}, both ≥ ${times(targetShare)}`,
      verdict: rate >= targetPerSecond && Math.min(ratio, cpuRatio) >= targetShare ? 'ok' : 'short',
    },
  ];
}

interface Drained {
  readonly perSecond: number;
  /** CPU time of the sender per delivery. */
  readonly cpuMicros: number;
}

async function measureRound(receiver: ServerProcess): Promise<{ ours: Drained; floor: Drained }> {
  const created = await createSite();
  const site = {
    ...created,
    env: { ...created.env, WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' },
  };
  try {
    const url = `http://127.0.0.1:${receiver.port}/`;
    const body = await createPending(site, url);
    await fetch(`${url}reset`);
    const service = await startService(site);
    const ours = await drain(receiver, service, recordingMs);
    await service.stop();
    await fetch(`${url}reset`);
    const bare = await startFloor('floor-webhooks', { url, body, concurrency });
    const floor = await drain(receiver, bare, 0);
    await bare.stop();
    return { ours, floor };
  } finally {
    await site.remove();
  }
}

/** Creates a tenant with an endpoint and pending deliveries to it. Returns the body of one. */
async function createPending(site: Site, url: string): Promise<string> {
  const { tenantId, event, rows } = await withSite(site, async (services) => {
    const applicant = await createApplicant(services, 'Subscriber');
    const recorded = await recordFirst(services, applicant.tenantId, url);
    return { tenantId: applicant.tenantId, ...recorded };
  });
  await fillTenant(site, tenantId, deliveryCopies(event, rows, deliveries));
  await withSite(site, async ({ wakeUps, clock }) =>
    wakeUps.scheduleAfterCommit(tenantId, deliveryJobKind, clock.now()),
  );
  const { id, type, occurred_at, request_id, data_json } = event;
  const head = { id, type, occurred_at, tenant_id: tenantId, request_id, api_version: '1' };
  return JSON.stringify({ ...head, data: JSON.parse(data_json) });
}

/** Subscribes an endpoint to every event and records one event. Returns its rows. */
function recordFirst(services: OpenServices, tenantId: string, url: string) {
  return openTenant(services, tenantId, async (tenant) => {
    await createWebhook(services, tenant, systemActor, { url, events: ['*'] });
    const { query } = tenant.db;
    const at = services.clock.now();
    const { id } = await query.selectFrom('licenses').select('id').executeTakeFirstOrThrow();
    const license = await findLicense(query, id, at);
    if (license === undefined) throw new Error('The license does not exist.');
    const data = () => presentLicense(license, at, services.validationTimes);
    await tenant.db.transaction((tx) => recordEvent(tx, { type: 'license.created', data, requestId: newId(), at }));
    return {
      event: await query.selectFrom('events').selectAll().executeTakeFirstOrThrow(),
      rows: await query.selectFrom('webhook_deliveries').selectAll().execute(),
    };
  });
}

/** Waits until all deliveries have arrived, and measures those after the warm-up. */
async function drain(receiver: ServerProcess, sender: ServerProcess, afterwardsMs: number): Promise<Drained> {
  let warm: { readonly count: number; readonly cpu: number } | undefined;
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${receiver.port}/rate?from=${countedFrom}`);
    const { count, perSecond: rate } = (await response.json()) as { count: number; perSecond: number };
    if (count >= countedFrom) warm ??= { count, cpu: cpuSeconds(sender.pid) };
    if (warm !== undefined && count >= deliveries) {
      await delay(afterwardsMs);
      return { perSecond: rate, cpuMicros: ((cpuSeconds(sender.pid) - warm.cpu) / (count - warm.count)) * 1e6 };
    }
    await delay(pollMs);
  }
}
