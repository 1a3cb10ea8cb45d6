import { expect, onTestFinished, test } from 'vitest';
import { recordTenantAudit } from '../../src/features/tenant-core/audit-outbox/service.ts';
import { createAuditOutboxSweep } from '../../src/features/tenant-core/audit-outbox/sweep.ts';
import { newId } from '../../src/lib/ids.ts';
import { systemActor } from '../../src/tenancy/system-actor.ts';
import { type TestTenant, useAdmin } from '../support/accounts.ts';

const suite = useAdmin();

/** Creates tenants, each with a pending record as a crashed process leaves it, and returns them ordered by id. */
async function tenantsWithRecords(count: number): Promise<TestTenant[]> {
  const { platform, clock } = suite.app.services;
  const tenants: TestTenant[] = [];
  for (let index = 0; index < count; index += 1) tenants.push(await suite.newTenant());
  for (const { id } of tenants) {
    const entry = { event: 'API_KEY.UPDATED', resourceType: 'api_key', resourceId: newId(), at: clock.now() };
    await platform.transaction((tx) => recordTenantAudit(tx, id, systemActor, entry));
  }
  return tenants.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

const pendingTenantIds = async () => {
  const rows = await suite.app.services.platform.query.selectFrom('audit_outbox').select('tenant_id').execute();
  return rows.map(({ tenant_id }) => tenant_id).sort();
};

/** Returns services for which the databases of `unresponsive` do not respond until `release` is called. */
function withUnresponsive(unresponsive: readonly TestTenant[]) {
  const ids = new Set(unresponsive.map(({ id }) => id));
  const { promise, resolve: release } = Promise.withResolvers<void>();
  onTestFinished(() => release());
  const requested: string[] = [];
  const { tenants } = suite.app.services;
  const withTenantDb: typeof tenants.withTenantDb = async (id, work) => {
    requested.push(id);
    if (ids.has(id)) await promise;
    return await tenants.withTenantDb(id, work);
  };
  const services = { ...suite.app.services, tenants: { withTenantDb } as typeof tenants };
  return { services, requested, release };
}

test('unresponsive databases beyond the worker limit delay no other tenant and are requested once', async () => {
  const tenants = await tenantsWithRecords(7);
  // The first six in order, so that they occupy every worker.
  const unresponsive = tenants.slice(0, 6);
  const { services, requested, release } = withUnresponsive(unresponsive);
  const sweep = createAuditOutboxSweep(services, { tenantTimeoutMs: 500 });
  expect(await sweep.sweepNext()).toBe(6);
  expect(await pendingTenantIds()).toEqual(unresponsive.map(({ id }) => id));
  expect(await sweep.sweepNext()).toBe(6);
  expect(requested.toSorted()).toEqual(tenants.map(({ id }) => id));
  release();
  await sweep.idle();
  expect(await pendingTenantIds()).toEqual([]);
  const { body } = (await unresponsive[0]?.asOwner('GET', '/audit-logs?event=API_KEY.UPDATED')) ?? {};
  expect(body.data).toHaveLength(1);
});

test('a sweep handles a limited number of tenants and the next sweep continues after them', async () => {
  const tenants = await tenantsWithRecords(5);
  const { services, release } = withUnresponsive(tenants.slice(0, 1));
  const sweep = createAuditOutboxSweep(services, { tenantsPerSweep: 2, tenantTimeoutMs: 500 });
  const pendingCounts: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await sweep.sweepNext();
    pendingCounts.push((await pendingTenantIds()).length);
  }
  expect(pendingCounts).toEqual([4, 2, 1]);
  release();
  await sweep.idle();
  expect(await pendingTenantIds()).toEqual([]);
});
