import { expect, onTestFinished, test } from 'vitest';
import { createBackgroundJobs } from '../../src/background.ts';
import { DatabaseUnavailableError } from '../../src/db/errors.ts';
import { recordTenantAudit } from '../../src/features/tenant-core/audit-outbox/service.ts';
import { createAuditOutboxSweep } from '../../src/features/tenant-core/audit-outbox/sweep.ts';
import { claimDue } from '../../src/jobs/claim.ts';
import { toTimestamp } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/ids.ts';
import type { Services } from '../../src/services.ts';
import { systemActor } from '../../src/tenancy/tenant.ts';
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

const readOutboxJobs = () =>
  suite.app.services.platform.query.selectFrom('jobs').selectAll().where('kind', '=', 'audit-outbox').execute();

/** Returns services with databases that respond only after `opening` of the tenant's id resolves. */
function withDatabases(opening: (tenantId: string) => Promise<void>): Services {
  const { tenants } = suite.app.services;
  const withTenantDb: typeof tenants.withTenantDb = async (id, work) => {
    await opening(id);
    return await tenants.withTenantDb(id, work);
  };
  return { ...suite.app.services, tenants: { withTenantDb } as typeof tenants };
}

/** Sweeps and starts the jobs that the sweep woke. Resolves to when they have ended. */
async function sweepWith(services: Services, sweep = createAuditOutboxSweep(services)) {
  await sweep.sweepNext();
  await services.wakeUps.flush();
  return { ended: createBackgroundJobs(services).runner.runDue() };
}

test('unresponsive databases delay no other tenant, and their records are copied when they respond', async () => {
  const tenants = await tenantsWithRecords(7);
  const unresponsive = tenants.slice(0, 6).map(({ id }) => id);
  const { promise, resolve: release } = Promise.withResolvers<void>();
  onTestFinished(() => release());
  const services = withDatabases(async (id) => (unresponsive.includes(id) ? await promise : undefined));
  const { ended } = await sweepWith(services);
  await expect.poll(pendingTenantIds).toEqual(unresponsive);
  release();
  await ended;
  expect(await pendingTenantIds()).toEqual([]);
  const { body } = (await tenants[0]?.asOwner('GET', '/audit-logs?event=API_KEY.UPDATED')) ?? {};
  expect(body.data).toHaveLength(1);
});

test('a sweep handles a limited number of tenants and the next sweep continues after them', async () => {
  await tenantsWithRecords(5);
  const { services } = suite.app;
  const sweep = createAuditOutboxSweep(services, 2);
  const pendingCounts: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await (await sweepWith(services, sweep)).ended;
    pendingCounts.push((await pendingTenantIds()).length);
  }
  expect(pendingCounts).toEqual([3, 1, 0]);
});

test('a tenant whose database is unavailable is tried ever less often, none of its many records is read, and other tenants are completed by the first sweep', async () => {
  const tenants = await tenantsWithRecords(3, 300);
  const downId = tenants[0]?.id;
  let isDown = true;
  let requests = 0;
  const services = withDatabases(async (id) => {
    if (id !== downId || !isDown) return;
    requests += 1;
    throw new DatabaseUnavailableError('The database of this test is unavailable.');
  });
  await (await sweepWith(services)).ended;
  expect(new Set(await pendingTenantIds())).toEqual(new Set([downId]));
  const statements = await statementsOf(suite.app, async () => {
    for (let minute = 1; minute <= 60; minute += 1) {
      clock.advance(minuteMs);
      await (await sweepWith(services)).ended;
    }
  });
  // After 1, 2 and 4 minutes, and then every ten.
  expect(requests).toBeLessThanOrEqual(10);
  expect(statements.filter((statement) => statement === 'select audit_outbox')).toEqual([]);
  isDown = false;
  clock.advance(10 * minuteMs);
  await (await sweepWith(services)).ended;
  expect(await pendingTenantIds()).toEqual([]);
});

test('an audit record is copied, however often its job failed before', async () => {
  await tenantsWithRecords(1);
  const broken = withDatabases(() => Promise.reject(new Error('an error of this test')));
  for (let failure = 1; failure <= 20; failure += 1) {
    await (await sweepWith(broken)).ended;
    expect(await readOutboxJobs()).toMatchObject([{ status: 'waiting', attempts: failure }]);
    clock.advance(10 * minuteMs);
  }
  await (await sweepWith(suite.app.services)).ended;
  expect([await pendingTenantIds(), await readOutboxJobs()]).toEqual([[], []]);
});

test('an audit record is copied, however many processes died during its job', async () => {
  await tenantsWithRecords(1);
  const { services } = suite.app;
  await createAuditOutboxSweep(services).sweepNext();
  await services.wakeUps.flush();
  const kinds = ['audit-outbox'];
  const dying = { kinds, outlastingKinds: new Set(kinds), limit: 1, processAgeMs: minuteMs };
  for (let death = 1; death <= 20; death += 1) {
    const leaseEndsAt = toTimestamp(services.clock.nowMs() + minuteMs);
    await claimDue(services.platform, { ...dying, now: services.clock.now(), leaseEndsAt });
    clock.advance(minuteMs);
  }
  expect(await readOutboxJobs()).toMatchObject([{ status: 'running', attempts: 20 }]);
  const { runner } = createBackgroundJobs(services);
  clock.advance(minuteMs);
  await runner.runDue();
  expect([await pendingTenantIds(), await readOutboxJobs()]).toEqual([[], []]);
});
