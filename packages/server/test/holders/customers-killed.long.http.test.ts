import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startKillable } from '../crash/killable-service.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { everythingStored } from '../support/everything-stored.ts';
import { createSite, startApp, stopApp } from '../support/harness.ts';
import { newPolicy } from '../support/licensing-catalog.ts';

// The service is killed while it changes and erases a customer, and the request is repeated until it succeeds.

const licenses = 1_000;
const kills = 3;
/** Longer than every lease. */
const downMs = 200_000;
const [email, target] = ['ada@example.com', 'ada@example.org'];

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
  let shiftMs = 0;
  let interrupted = 0;
  const work = [
    { path: email, request: { method: 'PUT', body: JSON.stringify({ email: target }) } },
    { path: target, request: { method: 'DELETE', body: '{}' } },
  ];
  for (const { path, request } of work) {
    for (let life = 0; ; life += 1) {
      const service = await startKillable({ ...site.env, ...env }, shiftMs);
      const url = `${service.address}/api/v1/tenant/customers/${path}`;
      const answer = fetch(url, { headers, ...request }).then(
        ({ status }) => status,
        () => undefined,
      );
      if (life < kills) {
        await delay(100 + Math.random() * 400);
        await service.kill();
      }
      const status = await answer;
      if (status === undefined) interrupted += 1;
      else await service.stop().catch(() => undefined);
      shiftMs += downMs;
      if (status !== undefined) {
        // 404: the request that was killed last had completed the work.
        expect([200, 404]).toContain(status);
        break;
      }
    }
  }
  expect(interrupted).toBeGreaterThan(0);
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
