import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { type KillableService, startKillable } from '../crash/killable-service.ts';
import { createAdmin, createTenant, type TestTenant } from './accounts.ts';
import { createSite, engine, startApp, stopApp, type TestApp } from './harness.ts';
import { created, newPolicy } from './licensing-catalog.ts';
import { startSampler } from './validation-latencies.ts';

// Suites that kill the real program again and again while it works.

/** How often the program is killed. */
export const kills = engine === 'sqlite' ? 4 : 2;
/** Longer than every lease. */
export const downMs = 200_000;
/** Longer than the time for which wake-ups of jobs stay in memory. A wake-up that dies with them is repaired within a day. */
const wakeUpMs = 1000;
const idleSamples = 400;

/** A tenant whose service is stopped. */
export interface KilledTenant {
  readonly env: Record<string, string>;
  /** The header of its owner. */
  readonly auth: Record<string, string>;
  readonly apiKey: string;
  /** The key of a license that can be validated. */
  readonly licenseKey: string;
}

/** Creates a tenant without limits, fills it with a service that is stopped afterwards, and removes it after the test. */
export async function prepareTenant<Filled extends object>(
  fill: (app: TestApp, tenant: TestTenant) => Promise<Filled>,
  settings: Record<string, string> = {},
): Promise<KilledTenant & Filled> {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const env = { ...settings, USER_TOKEN_TTL_DAYS: '365' };
  const app = await startApp(site, env);
  const admin = await createAdmin(app);
  const tenant = await createTenant(app, admin);
  const payload = { limits: { integration_requests_per_minute: 1_000_000, licenses: 'unlimited' } };
  const url = `/api/v1/admin/tenants/${tenant.id}`;
  expect((await app.request({ method: 'PATCH', url, headers: admin.auth, payload })).status).toBe(200);
  const { key } = created(await tenant.asOwner('POST', '/licenses', { policy_id: (await newPolicy(tenant)).id }));
  const filled = await fill(app, tenant);
  await stopApp(app);
  const { apiKey, owner } = tenant;
  return {
    apiKey,
    licenseKey: key,
    auth: owner.auth,
    env: { ...site.env, ...env } as Record<string, string>,
    ...filled,
  };
}

/** Sends a request through the tenant's surface, and returns its data. A text is the content of a CSV file. */
export async function call({ address }: KillableService, { auth }: KilledTenant, path: string, body?: object | string) {
  const isFile = typeof body === 'string';
  const response = await fetch(`${address}/api/v1/tenant${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...auth, ...(body !== undefined && { 'content-type': isFile ? 'text/csv' : 'application/json' }) },
    ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the response of any route; the assertions check its shape.
  return ((await response.json()) as any).data;
}

/** Reads until the answer says that work is over, and returns it. */
export async function settled<Answer>(
  read: () => Promise<Answer>,
  isOver: (answer: Answer) => boolean,
): Promise<Answer> {
  for (;;) {
    const answer = await read();
    if (isOver(answer)) return answer;
    await delay(50);
  }
}

/**
 * Kills the service that has begun work, lets its job be remembered before, and kills its successors at random times until
 * the work is over. Returns by how much the clock of the next one must be ahead of that of `first`.
 */
export async function killWhileWorking(
  first: KillableService,
  { env }: KilledTenant,
  isOver: (service: KillableService) => Promise<boolean>,
  aheadMs = 0,
): Promise<number> {
  await delay(wakeUpMs);
  await first.kill();
  let shiftMs = aheadMs + downMs;
  for (let kill = 0; kill < kills; kill += 1) {
    const service = await startKillable(env, shiftMs);
    await delay(200 + Math.random() * 1000);
    const isDone = await isOver(service);
    await service.kill();
    shiftMs += downMs;
    if (isDone) break;
  }
  return shiftMs;
}

/** Measures validations while `work` lasts, prints the figures, and returns the 99th percentiles in ms. */
export async function validationsDuring(
  tenant: KilledTenant,
  { name, count }: { readonly name: string; readonly count: number },
  work: (service: KillableService) => Promise<void>,
) {
  const service = await startKillable(tenant.env, 0);
  const sampler = await startSampler({ ...tenant, keys: [tenant.licenseKey], address: service.address });
  const { p99Ms: beforeMs } = await sampler.takeNext(idleSamples);
  const startMs = performance.now();
  await work(service);
  const seconds = (performance.now() - startMs) / 1000;
  const { p99Ms: busyMs } = sampler.take();
  // Another program on the machine may have begun or ended meanwhile.
  const { p99Ms: afterMs } = await sampler.takeNext(idleSamples);
  const idleMs = Math.max(beforeMs, afterMs);
  await sampler.stop();
  await service.stop();
  // biome-ignore lint/suspicious/noConsole: the figure is what the test is run for.
  console.log(
    `${engine}: ${count} ${name} in ${seconds.toFixed(1)} s (${Math.round(count / seconds)}/s); ` +
      `p99 of validate ${busyMs.toFixed(1)} ms, idle ${idleMs.toFixed(1)} ms`,
  );
  return { busyMs, idleMs };
}
