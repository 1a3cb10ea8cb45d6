import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type KillableService, startKillable } from '../crash/killable-service.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, engine, startApp, stopApp } from '../support/harness.ts';
import { created, newPolicy } from '../support/licensing-catalog.ts';
import { startSampler } from '../support/validation-latencies.ts';

// The service is killed while it changes many licenses. `BULK_LICENSES=100000` measures a large tenant.

const kills = engine === 'sqlite' ? 4 : 2;
const killedLicenses = 250;
const measuredLicenses = Number(process.env['BULK_LICENSES'] ?? 400);
/** Longer than every lease. */
const downMs = 200_000;
const idleSamples = 400;
/** Longer than the time for which wake-ups of jobs stay in memory. A wake-up that dies with them is repaired within a day. */
const wakeUpMs = 1000;
/** While licenses change, the slowest of a hundred validations takes at most so many times as long as otherwise. */
const slowerMost = 5;

interface Scene {
  readonly env: Record<string, string>;
  readonly auth: Record<string, string>;
  readonly apiKey: string;
  readonly keys: readonly string[];
  readonly policyId: string;
}

/** Creates a tenant with many licenses, with a service that is stopped afterwards. */
async function prepare(count: number): Promise<Scene> {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const settings = { USER_TOKEN_TTL_DAYS: '365' };
  const app = await startApp(site, settings);
  const admin = await createAdmin(app);
  const tenant = await createTenant(app, admin);
  const payload = { limits: { integration_requests_per_minute: 1_000_000, licenses: 'unlimited' } };
  const url = `/api/v1/admin/tenants/${tenant.id}`;
  expect((await app.request({ method: 'PATCH', url, headers: admin.auth, payload })).status).toBe(200);
  const policy = await newPolicy(tenant, { code: 'yearly', duration_days: 365 });
  const lines = Array.from({ length: count }, (_, index) => JSON.stringify({ policy: 'yearly', key: `BULK-${index}` }));
  const imported = await app.request({
    method: 'POST',
    url: '/api/v1/tenant/licenses/import',
    headers: { ...tenant.owner.auth, 'content-type': 'application/x-ndjson' },
    payload: `${lines.join('\n')}\n`,
  });
  expect(imported.body.data.created).toBe(count);
  const other = await newPolicy(tenant);
  const { key } = created(await tenant.asOwner('POST', '/licenses', { policy_id: other.id }));
  await stopApp(app);
  const env = { ...site.env, ...settings } as Record<string, string>;
  return { env, auth: tenant.owner.auth, apiKey: tenant.apiKey, keys: [key], policyId: policy.id };
}

async function call({ address }: KillableService, { auth }: Scene, path: string, body?: object) {
  const response = await fetch(`${address}/api/v1/tenant${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...auth, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the response of any route; the assertions check its shape.
  return ((await response.json()) as any).data;
}

/** Starts an operation, and lets its job be remembered. */
async function start(service: KillableService, scene: Scene, path: string, body: object): Promise<string> {
  const { id, state } = await call(service, scene, path, body);
  expect(state).toBe('running');
  return id;
}

async function settled(service: KillableService, scene: Scene, id: string) {
  for (;;) {
    const operation = await call(service, scene, `/bulk-operations/${id}`);
    if (operation.state !== 'running') return operation;
    await delay(50);
  }
}

/** Kills the service again and again until the operation has ended. Returns by how much the clock is ahead. */
async function killWhile(scene: Scene, id: string, shiftMs: number): Promise<number> {
  let aheadMs = shiftMs;
  for (let kill = 0; kill < kills; kill += 1) {
    const service = await startKillable(scene.env, aheadMs);
    await delay(200 + Math.random() * 1000);
    const { state } = await call(service, scene, `/bulk-operations/${id}`);
    await service.kill();
    aheadMs += downMs;
    if (state !== 'running') break;
  }
  return aheadMs;
}

/** Returns the ends of the licenses of the policy. */
async function endsOf(service: KillableService, scene: Scene): Promise<readonly string[]> {
  const path = `/api/v1/tenant/licenses/export?format=ndjson&policy_id=${scene.policyId}`;
  const text = await (await fetch(`${service.address}${path}`, { headers: scene.auth })).text();
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).expires_at);
}

test('an operation that is killed again and again changes every license once, and its undo does as well', {
  timeout: 1_200_000,
}, async () => {
  const scene = await prepare(killedLicenses);
  const first = await startKillable(scene.env, 0);
  const [end = ''] = await endsOf(first, scene);
  const extended = new Date(Date.parse(end) + 30 * 86_400_000).toISOString().slice(0, 19);
  const request = { filter: { policy_id: scene.policyId }, action: { type: 'extend', duration_days: 30 } };
  const id = await start(first, scene, '/bulk-operations', request);
  await delay(wakeUpMs);
  await first.kill();
  let aheadMs = await killWhile(scene, id, downMs);
  const second = await startKillable(scene.env, aheadMs);
  const counts = { state: 'done', total: killedLicenses, changed: killedLicenses, unchanged: 0, refused: 0 };
  expect(await settled(second, scene, id)).toMatchObject(counts);
  expect((await endsOf(second, scene)).filter((one) => one.slice(0, 19) !== extended)).toEqual([]);
  const undoId = await start(second, scene, `/bulk-operations/${id}/undo`, {});
  await delay(wakeUpMs);
  await second.kill();
  aheadMs = await killWhile(scene, undoId, aheadMs + downMs);
  const last = await startKillable(scene.env, aheadMs);
  expect(await settled(last, scene, undoId)).toMatchObject(counts);
  expect((await endsOf(last, scene)).filter((one) => one.slice(0, 19) !== end.slice(0, 19))).toEqual([]);
  await last.stop();
});

test('every validation is answered while many licenses change', { timeout: 3_600_000 }, async () => {
  const scene = await prepare(measuredLicenses);
  const service = await startKillable(scene.env, 0);
  const sampler = await startSampler({ ...scene, address: service.address });
  const { p99Ms: beforeMs } = await sampler.takeNext(idleSamples);
  const startedAt = performance.now();
  const request = { filter: { policy_id: scene.policyId }, action: { type: 'extend', duration_days: 30 } };
  const id = await start(service, scene, '/bulk-operations', request);
  const operation = await settled(service, scene, id);
  const seconds = (performance.now() - startedAt) / 1000;
  const { p99Ms: busyMs } = sampler.take();
  // Another program on the machine may have begun or ended meanwhile.
  const { p99Ms: afterMs } = await sampler.takeNext(idleSamples);
  const idleMs = Math.max(beforeMs, afterMs);
  await sampler.stop();
  await service.stop();
  expect(operation).toMatchObject({ state: 'done', changed: measuredLicenses });
  const rate = Math.round(measuredLicenses / seconds);
  // biome-ignore lint/suspicious/noConsole: the figure is what the test is run for.
  console.log(
    `${engine}: ${measuredLicenses} licenses changed in ${seconds.toFixed(1)} s (${rate}/s); ` +
      `p99 of validate ${busyMs.toFixed(1)} ms, idle ${idleMs.toFixed(1)} ms`,
  );
  expect(busyMs).toBeLessThanOrEqual(Math.max(idleMs, 5) * slowerMost);
});
