import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTenantJobs } from '../../src/background.ts';
import { leaseJobKind } from '../../src/features/licensing/activations/activation.ts';
import { newId } from '../../src/lib/ids.ts';
import { jobRow, runTenantJobs } from '../jobs/job-rows.ts';
import { createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { created, eventsOf, newLicense } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useApp();
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await createTenant(suite.app, await createAdmin(suite.app));
});

beforeEach(async () => {
  // Nothing of the test before is left to be done.
  clock.advance(600_000);
  await runTenantJobs(suite.app);
});

const activate = (key: string, fingerprint: string) =>
  tenant.asApplication(`/licenses/${key}/activations`, { fingerprint });
const heartbeat = (key: string, id: string) => tenant.asApplication(`/licenses/${key}/activations/${id}/heartbeat`);
const storedActivation = (id: string) =>
  suite.app.services.tenants.withTenantDb(tenant.id, (db) =>
    db.query.selectFrom('activations').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  );
const expiredEvents = async () =>
  (await tenant.asOwner('GET', '/audit-logs?event=ACTIVATION.EXPIRED&limit=100')).body.data;

describe('a lease that ran out', () => {
  test('is closed at its own end, audited once by the service, and the next end is due next', async () => {
    const { key } = await newLicense(tenant, { lease_seconds: 60 });
    const first = created(await activate(key, 'a'));
    clock.advance(20_000);
    const second = created(await activate(key, 'b'));
    clock.advance(39_000);
    await runTenantJobs(suite.app);
    expect((await storedActivation(first.id)).released_at).toBeNull();
    clock.advance(1001);
    await runTenantJobs(suite.app);
    expect(await storedActivation(first.id)).toMatchObject({
      released_at: first.lease_expires_at,
      release_reason: 'lease_expired',
    });
    expect((await storedActivation(second.id)).released_at).toBeNull();
    expect((await jobRow(suite.app, tenant.id, leaseJobKind)).due_at).toBe(second.lease_expires_at);
    const answer = await tenant.asOwner('GET', `/audit-logs?resource_id=${first.id}&event=ACTIVATION.EXPIRED`);
    expect(answer.body.data).toMatchObject([
      {
        actor_type: 'system',
        actor_id: null,
        resource_type: 'activation',
        changes: [{ field: 'status', old: 'active', new: 'expired' }],
      },
    ]);
    clock.advance(20_000);
    await runTenantJobs(suite.app);
    await runTenantJobs(suite.app);
    for (const { id } of [first, second]) {
      expect(await eventsOf(tenant, id)).toEqual(['ACTIVATION.EXPIRED', 'ACTIVATION.CREATED']);
      expect((await tenant.asOwner('GET', `/activations/${id}`)).body.data.status).toBe('expired');
    }
  });

  test('and whose device comes back first is audited alike, and once', async () => {
    const { key } = await newLicense(tenant, { lease_seconds: 60, max_activations: 1 });
    const first = created(await activate(key, 'a'));
    clock.advance(61_000);
    const second = created(await activate(key, 'a'));
    await runTenantJobs(suite.app);
    expect(await eventsOf(tenant, first.id)).toEqual(['ACTIVATION.EXPIRED', 'ACTIVATION.CREATED']);
    expect(await storedActivation(first.id)).toMatchObject({ released_at: first.lease_expires_at });
    expect((await storedActivation(second.id)).released_at).toBeNull();
  });

  test('gives the same verdict before and after it is closed, until the device is activated or deactivated', async () => {
    const { key } = await newLicense(tenant, { lease_seconds: 60, require_activation: true });
    const { id } = created(await activate(key, 'a'));
    const verdict = async (fingerprint = 'a') => {
      const { body } = await tenant.asApplication(`/licenses/${key}/validate`, { fingerprint });
      const { code, activation } = body.data;
      return [code, activation?.id ?? null, activation?.status ?? null];
    };
    expect(await verdict()).toEqual(['LICENSE.VALID', id, 'active']);
    clock.advance(61_000);
    expect(await verdict()).toEqual(['ACTIVATION.LEASE_EXPIRED', id, 'expired']);
    await runTenantJobs(suite.app);
    expect((await storedActivation(id)).release_reason).toBe('lease_expired');
    expect(await verdict()).toEqual(['ACTIVATION.LEASE_EXPIRED', id, 'expired']);
    expect(await verdict('b')).toEqual(['ACTIVATION.NOT_FOUND', null, null]);
    clock.advance(1);
    const back = created(await activate(key, 'a'));
    expect(await verdict()).toEqual(['LICENSE.VALID', back.id, 'active']);
    await tenant.asApplication(`/licenses/${key}/activations/${back.id}/deactivate`);
    expect(await verdict()).toEqual(['ACTIVATION.NOT_FOUND', null, null]);
  });

  test('is not closed when a heartbeat renewed it, nor without a lease, nor when it was deactivated', async () => {
    const floating = await newLicense(tenant, { lease_seconds: 60 });
    const fixed = await newLicense(tenant);
    const renewed = created(await activate(floating.key, 'a'));
    const unleased = created(await activate(fixed.key, 'a'));
    const gone = created(await activate(floating.key, 'b'));
    clock.advance(59_000);
    expect((await heartbeat(floating.key, renewed.id)).status).toBe(200);
    await tenant.asApplication(`/licenses/${floating.key}/activations/${gone.id}/deactivate`);
    clock.advance(2000);
    await runTenantJobs(suite.app);
    for (const { id } of [renewed, unleased]) expect((await storedActivation(id)).released_at).toBeNull();
    expect((await storedActivation(gone.id)).release_reason).toBe('deactivated');
  });

  test('is closed without a hint too, by the daily run', async () => {
    const { key } = await newLicense(tenant, { lease_seconds: 60 });
    const { id } = created(await activate(key, 'a'));
    await suite.app.services.wakeUps.flush();
    const { platform } = suite.app.services;
    await platform.query.deleteFrom('jobs').where('subject_id', '=', tenant.id).execute();
    await createTenantJobs(suite.app.services).sweep.sweepNext();
    clock.advance(86_400_000);
    await runTenantJobs(suite.app);
    expect((await storedActivation(id)).release_reason).toBe('lease_expired');
  });
});

test('hundreds of leases that end at once are all closed, each audited once', async () => {
  const { key, id: licenseId } = await newLicense(tenant, { lease_seconds: 60 });
  const template = await storedActivation(created(await activate(key, 'first')).id);
  const ids = Array.from({ length: 450 }, () => newId());
  await suite.app.services.tenants.withTenantDb(tenant.id, (db) =>
    db.query
      .insertInto('activations')
      .values(ids.map((id) => ({ ...template, id, fingerprint: id })))
      .execute(),
  );
  const before = await suite.app.services.tenants.withTenantDb(tenant.id, countExpiredEvents);
  clock.advance(61_000);
  await runTenantJobs(suite.app);
  const after = await suite.app.services.tenants.withTenantDb(tenant.id, countExpiredEvents);
  expect(after - before).toBe(451);
  const open = await tenant.asOwner('GET', `/activations?license_id=${licenseId}&status=active`);
  expect(open.body.data).toEqual([]);
});

type TenantDb = Parameters<Parameters<typeof suite.app.services.tenants.withTenantDb>[1]>[0];

async function countExpiredEvents(db: TenantDb): Promise<number> {
  const { count } = await db.query
    .selectFrom('audit_logs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('event', '=', 'ACTIVATION.EXPIRED')
    .executeTakeFirstOrThrow();
  return count;
}

test('jobs, activations and heartbeats at the same moment close each lease once and admit no device too many', async () => {
  const { key, id: licenseId } = await newLicense(tenant, { lease_seconds: 60, max_activations: 4 });
  const old = await Promise.all(['a', 'b', 'c', 'd'].map((name) => activate(key, name)));
  await suite.app.services.wakeUps.flush();
  clock.advance(60_001);
  const newcomers = ['a', 'b', 'e', 'f', 'g', 'h'];
  const [answers, beats] = await Promise.all([
    Promise.all(newcomers.map((name) => activate(key, name))),
    Promise.all(old.map((answer) => heartbeat(key, answer.body.data.id))),
    createTenantJobs(suite.app.services).runner.runDue(),
    createTenantJobs(suite.app.services).runner.runDue(),
  ]);
  await runTenantJobs(suite.app);
  expect(beats.map((answer) => answer.status)).toEqual([404, 404, 404, 404]);
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(4);
  expect((await tenant.asOwner('GET', `/licenses/${licenseId}`)).body.data.activations_count).toBe(4);
  for (const answer of old) {
    expect(await eventsOf(tenant, answer.body.data.id)).toEqual(['ACTIVATION.EXPIRED', 'ACTIVATION.CREATED']);
  }
  expect((await expiredEvents()).every((record: { actor_type: string }) => record.actor_type === 'system')).toBe(true);
});
