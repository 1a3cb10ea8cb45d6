import { expect, onTestFinished, test } from 'vitest';
import { DatabaseUnavailableError } from '../../src/db/errors.ts';
import { recordTenantAudit } from '../../src/features/tenant-core/audit-outbox/service.ts';
import { createAuditOutboxSweep } from '../../src/features/tenant-core/audit-outbox/sweep.ts';
import { newId } from '../../src/lib/ids.ts';
import { systemActor } from '../../src/tenancy/system-actor.ts';
import { type TestTenant, useAdmin } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { statementsOf } from '../support/statements.ts';

const clock = useClock();
const suite = useAdmin();
const minuteMs = 60_000;

/** Creates tenants, each with a pending record as a crashed process leaves it, and returns them ordered by id. */
async function tenantsWithRecords(count: number, recordsEach = 1): Promise<TestTenant[]> {
  const { platform, clock } = suite.app.services;
  const tenants: TestTenant[] = [];
  for (let index = 0; index < count; index += 1) tenants.push(await suite.newTenant());
  for (const { id } of tenants) {
    const entry = { event: 'API_KEY.UPDATED', resourceType: 'api_key', resourceId: newId(), at: clock.now() };
    await platform.transaction(async (tx) => {
      for (let record = 0; record < recordsEach; record += 1) await recordTenantAudit(tx, id, systemActor, entry);
    });
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

/** Returns services for which the databases of `unavailable` refuse until `restore` is called. */
function withUnavailable(unavailable: readonly TestTenant[]) {
  const ids = new Set(unavailable.map(({ id }) => id));
  const requested: string[] = [];
  const { tenants } = suite.app.services;
  const withTenantDb: typeof tenants.withTenantDb = async (id, work) => {
    requested.push(id);
    if (ids.has(id)) throw new DatabaseUnavailableError('The database of this test is unavailable.');
    return await tenants.withTenantDb(id, work);
  };
  const services = { ...suite.app.services, tenants: { withTenantDb } as typeof tenants };
  return { services, requested, restore: () => ids.clear() };
}

test('a tenant whose database is unavailable is tried ever less often, none of its many records is read, and other tenants are completed by the first sweep', async () => {
  const tenants = await tenantsWithRecords(3, 300);
  const down = tenants.slice(0, 1);
  const downId = down[0]?.id;
  const { services, requested, restore } = withUnavailable(down);
  const sweep = createAuditOutboxSweep(services, { tenantTimeoutMs: minuteMs });
  expect(await sweep.sweepNext()).toBe(1);
  expect(new Set(await pendingTenantIds())).toEqual(new Set([downId]));
  const statements = await statementsOf(suite.app, async () => {
    for (let minute = 1; minute <= 60; minute += 1) {
      clock.advance(minuteMs);
      expect(await sweep.sweepNext()).toBe(1);
      await sweep.idle();
    }
  });
  // After 1, 2, 4, 8, 18 minutes, and then every ten.
  expect(requested.filter((id) => id === downId).length).toBeLessThanOrEqual(11);
  expect(statements.filter((statement) => statement === 'select audit_outbox')).toEqual([]);
  restore();
  clock.advance(10 * minuteMs);
  await sweep.sweepNext();
  await sweep.idle();
  expect(await pendingTenantIds()).toEqual([]);
});

test('tenants that failed before are tried in the background, a limited number at a time, and delay no other tenant', async () => {
  const tenants = await tenantsWithRecords(5);
  const { services, requested, release } = withUnresponsive(tenants.slice(0, 3));
  const failing = withUnavailable(tenants.slice(0, 3));
  let isHanging = false;
  const withTenantDb: typeof services.tenants.withTenantDb = (id, work) =>
    (isHanging ? services : failing.services).tenants.withTenantDb(id, work);
  const both = { ...services, tenants: { withTenantDb } as typeof services.tenants };
  const sweep = createAuditOutboxSweep(both, { tenantsPerSweep: 3, retriesMax: 2, tenantTimeoutMs: minuteMs });
  expect(await sweep.sweepNext()).toBe(3);
  clock.advance(minuteMs);
  isHanging = true;
  await sweep.sweepNext();
  await sweep.sweepNext();
  expect(await pendingTenantIds()).toHaveLength(3);
  expect(requested.filter((id) => tenants.slice(0, 3).some((tenant) => tenant.id === id))).toHaveLength(2);
  release();
  await sweep.idle();
  for (let round = 0; round < 2; round += 1) {
    await sweep.sweepNext();
    await sweep.idle();
  }
  expect(await pendingTenantIds()).toEqual([]);
});
