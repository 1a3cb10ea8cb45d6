import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { recordTenantAudit } from '../../src/features/tenant-core/audit-outbox/service.ts';
import { createAuditOutboxSweep } from '../../src/features/tenant-core/audit-outbox/sweep.ts';
import { newId } from '../../src/lib/ids.ts';
import { systemActor } from '../../src/tenancy/system-actor.ts';
import { type Account, createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { useApp } from '../support/harness.ts';

const suite = useApp();
let admin: Account;

beforeAll(async () => {
  admin = await createAdmin(suite.app);
});

/** Tenants in the order of their ids, each with a record that a process left behind when it died. */
async function tenantsWithRecords(count: number): Promise<TestTenant[]> {
  const { platform, clock } = suite.app.services;
  const tenants: TestTenant[] = [];
  for (let index = 0; index < count; index += 1) tenants.push(await createTenant(suite.app, admin));
  for (const { id } of tenants) {
    const entry = { event: 'API_KEY.UPDATED', resourceType: 'api_key', resourceId: newId(), at: clock.now() };
    await platform.transaction((tx) => recordTenantAudit(tx, id, systemActor, entry));
  }
  return tenants.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

const waitingTenants = async () => {
  const rows = await suite.app.services.platform.query.selectFrom('audit_outbox').select('tenant_id').execute();
  return rows.map(({ tenant_id }) => tenant_id).sort();
};

/** The services of a process that waits in vain for the databases of some tenants, until `release`. */
function withDead(dead: readonly TestTenant[]) {
  const ids = new Set(dead.map(({ id }) => id));
  const { promise, resolve: release } = Promise.withResolvers<void>();
  onTestFinished(() => release());
  const asked: string[] = [];
  const { tenants } = suite.app.services;
  const withTenantDb: typeof tenants.withTenantDb = async (id, work) => {
    asked.push(id);
    if (ids.has(id)) await promise;
    return await tenants.withTenantDb(id, work);
  };
  const services = { ...suite.app.services, tenants: { withTenantDb } as typeof tenants };
  return { services, asked, release };
}

test('databases that do not answer, more than there are places, hold up no other tenant and are asked once', async () => {
  const tenants = await tenantsWithRecords(7);
  // Those that come first hang.
  const dead = tenants.slice(0, 6);
  const { services, asked, release } = withDead(dead);
  const sweep = createAuditOutboxSweep(services, { patienceMs: 500 });
  expect(await sweep.sweepNext()).toBe(6);
  expect(await waitingTenants()).toEqual(dead.map(({ id }) => id));
  expect(await sweep.sweepNext()).toBe(6);
  expect(asked.toSorted()).toEqual(tenants.map(({ id }) => id));
  release();
  await sweep.idle();
  expect(await waitingTenants()).toEqual([]);
  const { body } = (await dead[0]?.asOwner('GET', '/audit-logs?event=API_KEY.UPDATED')) ?? {};
  expect(body.data).toHaveLength(1);
});

test('a sweep looks after so many tenants, the next one after those that follow, and the last one ends with the rest', async () => {
  const tenants = await tenantsWithRecords(5);
  const { services, release } = withDead(tenants.slice(0, 1));
  const sweep = createAuditOutboxSweep(services, { tenantsPerSweep: 2, patienceMs: 500 });
  const left: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await sweep.sweepNext();
    left.push((await waitingTenants()).length);
  }
  expect(left).toEqual([4, 2, 1]);
  release();
  await sweep.idle();
  expect(await waitingTenants()).toEqual([]);
});
