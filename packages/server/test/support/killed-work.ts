import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { type KillableService, startKillable } from '../crash/killable-service.ts';
import { createAdmin, createTenant, type TestTenant } from './accounts.ts';
import { createSite, engine, startApp, stopApp, type TestApp } from './harness.ts';
import { created, newPolicy } from './licensing-catalog.ts';
import { startSampler } from './validation-latencies.ts';

// Suites that kill the real program again and again while it works.

/**
 * How often the program is killed: the process that began the work, and the one that continues it. The third finishes what
 * was continued before. A further kill would find the same rows.
 */
export const kills = 2;
/** Longer than every lease. */
export const downMs = 200_000;
/** About as long as a step, so that a kill hits a step at any moment, or the rest after it. */
const stepMs = 40;
const killPollMs = 10;
/** Within this time a process stores a step, also on a busy machine; else it does not continue the work. */
const stepMaxMs = 60_000;
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

/** Returns how much of the work is stored, which grows with its steps; infinity when it is over. */
export type Progress = (service: KillableService) => Promise<number>;

/**
 * Kills the service that has begun work, and its successors, each at a random moment after it has stored a step: its job is
 * remembered, and the work is not over. No successor may find less than the process before it. Returns by how much the clock
 * of the next one must be ahead of that of `first`.
 */
export async function killWhileWorking(
  first: KillableService,
  { env }: KilledTenant,
  progress: Progress,
  { times = kills, aheadMs = 0 } = {},
): Promise<number> {
  let stored = await killAfterStep(first, progress, 0);
  expect(stored).toBeLessThan(Number.POSITIVE_INFINITY);
  let shiftMs = aheadMs + downMs;
  for (let kill = 1; kill < times && stored < Number.POSITIVE_INFINITY; kill += 1) {
    stored = await killAfterStep(await startKillable(env, shiftMs, { checks: false }), progress, stored);
    shiftMs += downMs;
  }
  return shiftMs;
}

/** Kills a service when it has stored more than it found, and returns how much it had stored before. */
async function killAfterStep(service: KillableService, progress: Progress, before: number): Promise<number> {
  const found = await progress(service);
  expect(found).toBeGreaterThanOrEqual(before);
  let stored = found;
  const look = async () => {
    stored = await progress(service);
    return stored;
  };
  const isOver = found === Number.POSITIVE_INFINITY;
  if (!isOver) await expect.poll(look, { interval: killPollMs, timeout: stepMaxMs }).not.toBe(found);
  await delay(Math.random() * stepMs);
  await service.kill();
  return stored;
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
