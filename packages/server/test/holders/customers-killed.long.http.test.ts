import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type KillableService, startKillable } from '../crash/killable-service.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { everythingStored } from '../support/everything-stored.ts';
import { createSite, startApp, stopApp } from '../support/harness.ts';
import { newPolicy } from '../support/licensing-catalog.ts';

// The service is killed while it changes and erases a customer, and the request is repeated until it succeeds.

/** A step changes 50 of them. */
const licenses = 400;
/** The process that began the work, and one that continued it. */
const kills = 2;
const pollMs = 10;
/** About as long as a step. */
const stepMs = 40;
/** Longer than every lease. */
const downMs = 200_000;
const [email, target] = ['ada@example.com', 'ada@example.org'];

interface Answer {
  readonly data: readonly { readonly email: string; readonly licenses_count: number }[];
}

test('a change and an erasure of a customer are complete after repetitions, although the service was killed', {
  timeout: 600_000,
}, async () => {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const env = { USER_TOKEN_TTL_DAYS: '365' };
  const app = await startApp(site, env);
  const tenant = await createTenant(app, await createAdmin(app));
  const { id: policyId } = await newPolicy(tenant);
  const rows = Array.from({ length: licenses }, (_, index) => `K-${index},${policyId},${email}`);
  const imported = await app.request({
    method: 'POST',
    url: '/api/v1/tenant/licenses/import',
    headers: { ...tenant.owner.auth, 'content-type': 'text/csv' },
    payload: ['key,policy_id,holder_email', ...rows, ''].join('\n'),
  });
  expect(imported.status).toBe(200);
  await stopApp(app);

  const headers = { ...tenant.owner.auth, 'content-type': 'application/json' };
  const request = (service: KillableService, path: string, init: RequestInit = {}) =>
    fetch(`${service.address}/api/v1/tenant/customers${path}`, { headers, ...init });
  /** Returns how many licenses the target has. */
  const moved = async (service: KillableService): Promise<number> => {
    const { data } = (await (await request(service, '')).json()) as Answer;
    return data.find((one) => one.email === target)?.licenses_count ?? 0;
  };
  /** Kills a service after it has stored a step, which changes this number, and not all. */
  const killAtWork = async (service: KillableService, isAnswered: () => boolean): Promise<void> => {
    const before = await moved(service);
    while (!isAnswered() && (await moved(service)) === before) await delay(pollMs);
    await delay(Math.random() * stepMs);
    await service.kill();
  };
  let shiftMs = 0;
  const start = async (checks = false): Promise<KillableService> => {
    const service = await startKillable({ ...site.env, ...env }, shiftMs, { checks });
    shiftMs += downMs;
    return service;
  };
  let interrupted = 0;
  const work = [
    { path: `/${email}`, init: { method: 'PUT', body: JSON.stringify({ email: target }) } },
    { path: `/${target}`, init: { method: 'DELETE', body: '{}' } },
  ];
  let service = await start();
  for (const { path, init } of work) {
    for (let life = 0; ; life += 1) {
      let isAnswered = false;
      const status = request(service, path, init).then(
        (answer) => {
          isAnswered = true;
          return answer.status;
        },
        () => undefined,
      );
      if (life < kills) {
        await killAtWork(service, () => isAnswered);
        if ((await status) === undefined) interrupted += 1;
        service = await start(life === kills - 1);
        continue;
      }
      // 404: the request that was killed last had completed the work.
      expect([200, 404]).toContain(await status);
      break;
    }
  }
  await service.stop();
  expect(interrupted).toBeGreaterThanOrEqual(kills);
  const again = await startApp(site, env);
  onTestFinished(() => stopApp(again));
  const stored = await everythingStored(again, tenant.id);
  for (const address of [email, target]) expect(stored).not.toContain(address);
  const records = await again.services.tenants.withTenantDb(tenant.id, ({ query }) =>
    query
      .selectFrom('audit_logs')
      .select(({ fn }) => ['event', fn.countAll<number>().as('count')])
      .where('event', 'in', ['LICENSE.UPDATED', 'LICENSE.HOLDER_ERASED', 'CUSTOMER.ERASED'])
      .groupBy('event')
      .execute(),
  );
  const counts = Object.fromEntries(records.map(({ event, count }) => [event, Number(count)]));
  expect(counts).toEqual({ 'LICENSE.UPDATED': licenses, 'LICENSE.HOLDER_ERASED': licenses, 'CUSTOMER.ERASED': 1 });
});
