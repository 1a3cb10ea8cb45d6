import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type KillableService, startKillable } from '../crash/killable-service.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, engine, startApp, stopApp } from '../support/harness.ts';
import { created, newPolicy } from '../support/licensing-catalog.ts';
import { startSampler } from '../support/validation-latencies.ts';
import { offerItems } from './custom-shop.ts';
import { type ImitatedStripe, imitateStripe, subscriptionsOf } from './imitated-stripe.ts';

// The service is killed while it compares a shop and while it applies what it found. `COMPARED_SUBSCRIPTIONS=100000` measures
// a large shop.

const kills = engine === 'sqlite' ? 4 : 2;
const killedSubscriptions = 300;
const measuredSubscriptions = Number(process.env['COMPARED_SUBSCRIPTIONS'] ?? 300);
/** Longer than every lease. */
const downMs = 200_000;
const pageSize = 100;
const idleSamples = 400;
/** Longer than the time for which wake-ups of jobs stay in memory. A wake-up that dies with them is repaired within a day. */
const wakeUpMs = 1000;

interface Scene {
  readonly env: Record<string, string>;
  readonly auth: Record<string, string>;
  readonly connectionId: string;
  readonly apiKey: string;
  readonly keys: readonly string[];
  readonly stripe: ImitatedStripe;
}

/** Serves the imitated Stripe, for the process of the service, on loopback. */
async function serveStripe(stripe: ImitatedStripe, waitMs: number): Promise<number> {
  const server = createServer((request, response) => {
    const answer = async () => {
      await delay(waitMs);
      const answered = await stripe.fetch(`https://api.stripe.com${request.url}`);
      response.writeHead(answered.status, Object.fromEntries(answered.headers));
      response.end(await answered.text());
    };
    void answer();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address with one.
  return (server.address() as AddressInfo).port;
}

/** Creates a tenant with a connection to the imitated shop, with a service that is stopped afterwards. */
async function prepare(count: number, waitMs: number): Promise<Scene> {
  const stripe = imitateStripe(subscriptionsOf(count));
  const port = await serveStripe(stripe, waitMs);
  const site = await createSite();
  onTestFinished(() => site.remove());
  const settings = { USER_TOKEN_TTL_DAYS: '365' };
  const app = await startApp(site, settings);
  const admin = await createAdmin(app);
  const tenant = await createTenant(app, admin);
  const payload = { limits: { integration_requests_per_minute: 1_000_000, licenses: 'unlimited' } };
  const url = `/api/v1/admin/tenants/${tenant.id}`;
  expect((await app.request({ method: 'PATCH', url, headers: admin.auth, payload })).status).toBe(200);
  const connection = { provider: 'stripe', name: 'Shop', api_key: 'rk_test_1' };
  const { id: connectionId } = created(await tenant.asOwner('POST', '/connections', connection));
  await offerItems({ id: connectionId, tenant }, { pro: {} });
  const policy = await newPolicy(tenant);
  const { key } = created(await tenant.asOwner('POST', '/licenses', { policy_id: policy.id }));
  await stopApp(app);
  // The requests of the process go to loopback instead of Stripe. The address of the API itself is fixed.
  const redirect =
    'const send = globalThis.fetch; globalThis.fetch = (url, init) =>' +
    ` send(String(url).replace("https://api.stripe.com", "http://127.0.0.1:${port}"), init);`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(redirect)}`;
  const env = { ...site.env, ...settings, NODE_OPTIONS } as Record<string, string>;
  return { env, auth: tenant.owner.auth, connectionId, apiKey: tenant.apiKey, keys: [key], stripe };
}

async function call({ address }: KillableService, { auth, connectionId }: Scene, path: string, method = 'GET') {
  const url = `${address}/api/v1/tenant${path.replace('{connection}', connectionId)}`;
  const response = await fetch(url, { method, headers: auth });
  // biome-ignore lint/suspicious/noExplicitAny: the response of any route; the assertions check its shape.
  return ((await response.json()) as any).data;
}

const latest = async (service: KillableService, scene: Scene) =>
  (await call(service, scene, '/connections/{connection}/comparisons?limit=1'))[0];

/** Waits until the latest comparison has ended and nothing is left to apply. */
async function settled(service: KillableService, scene: Scene) {
  for (;;) {
    const comparison = await latest(service, scene);
    if (comparison.ended_at !== null && comparison.continues_at === null) return comparison;
    await delay(50);
  }
}

/** Kills the service again and again while it works on a comparison. Returns by how much its clock is ahead. */
async function killWhile(scene: Scene, shiftMs: number, isDone: (service: KillableService) => Promise<boolean>) {
  let aheadMs = shiftMs;
  for (let kill = 0; kill < kills; kill += 1) {
    const service = await startKillable(scene.env, aheadMs);
    await delay(200 + Math.random() * 1000);
    const done = await isDone(service);
    await service.kill();
    aheadMs += downMs;
    if (done) break;
  }
  return aheadMs;
}

test('a comparison that is killed again and again reads every page and applies every sale once', {
  timeout: 1_200_000,
}, async () => {
  const scene = await prepare(killedSubscriptions, 400);
  const first = await startKillable(scene.env, 0);
  expect((await call(first, scene, '/connections/{connection}/comparisons', 'POST')).state).toBe('running');
  await delay(wakeUpMs);
  await first.kill();
  const isRead = async (service: KillableService) => (await latest(service, scene)).ended_at !== null;
  let aheadMs = await killWhile(scene, downMs, isRead);
  const second = await startKillable(scene.env, aheadMs);
  const read = await settled(second, scene);
  expect(read).toMatchObject({ state: 'done', seen: killedSubscriptions, differences: killedSubscriptions });
  // Each process that died has repeated at most the page that it had not stored.
  expect(scene.stripe.pages()).toBeLessThanOrEqual(killedSubscriptions / pageSize + kills + 1);
  await call(second, scene, `/connections/{connection}/comparisons/${read.id}/apply`, 'POST');
  await delay(wakeUpMs);
  await second.kill();
  const isApplied = async (service: KillableService) => (await latest(service, scene)).continues_at === null;
  aheadMs = await killWhile(scene, aheadMs + downMs, isApplied);
  const last = await startKillable(scene.env, aheadMs);
  await settled(last, scene);
  const sales: { readonly external_id: string; readonly license_ids: readonly string[] }[] = [];
  for (let cursor = ''; ; ) {
    const path = `/api/v1/tenant/connections/${scene.connectionId}/sales?limit=100${cursor}`;
    const page = await (await fetch(`${last.address}${path}`, { headers: scene.auth })).json();
    // biome-ignore lint/suspicious/noExplicitAny: the response of a route; the assertions check its shape.
    const { data, meta } = page as any;
    sales.push(...data);
    if (meta.next_cursor === null) break;
    cursor = `&cursor=${meta.next_cursor}`;
  }
  expect(new Set(sales.map(({ external_id }) => external_id)).size).toBe(killedSubscriptions);
  expect(sales.filter(({ license_ids }) => license_ids.length !== 1)).toEqual([]);
  const again = await call(last, scene, '/connections/{connection}/comparisons', 'POST');
  expect(again.state).toBe('running');
  expect(await settled(last, scene)).toMatchObject({ seen: killedSubscriptions, differences: 0 });
  await last.stop();
});

test('every validation is answered while a large shop is compared', { timeout: 3_600_000 }, async () => {
  const scene = await prepare(measuredSubscriptions, 0);
  const service = await startKillable(scene.env, 0);
  const sampler = await startSampler({ ...scene, address: service.address });
  const { p99Ms: idleMs } = await sampler.takeNext(idleSamples);
  const startedAt = performance.now();
  await call(service, scene, '/connections/{connection}/comparisons', 'POST');
  const comparison = await settled(service, scene);
  const seconds = (performance.now() - startedAt) / 1000;
  const { p99Ms: busyMs } = sampler.take();
  await sampler.stop();
  await service.stop();
  expect(comparison).toMatchObject({ state: 'done', seen: measuredSubscriptions, differences: measuredSubscriptions });
  const rate = Math.round(measuredSubscriptions / seconds);
  // biome-ignore lint/suspicious/noConsole: the figure is what the test is run for.
  console.log(
    `${engine}: ${measuredSubscriptions} subscriptions compared in ${seconds.toFixed(1)} s (${rate}/s); ` +
      `p99 of validate ${busyMs.toFixed(1)} ms, idle ${idleMs.toFixed(1)} ms`,
  );
});
