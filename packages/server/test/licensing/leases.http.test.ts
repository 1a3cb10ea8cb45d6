import { beforeEach, describe, expect, test } from 'vitest';
import { createBackgroundJobs } from '../../src/background.ts';
import { leaseJobKind } from '../../src/features/licensing/activations/activation.ts';
import { newId } from '../../src/lib/ids.ts';
import { jobRow, runTenantJobs } from '../jobs/job-rows.ts';
import { useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { created, eventsOf, newLicense } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useTenant();

beforeEach(async () => {
  // Complete the background work of the previous test.
  clock.advance(600_000);
  await runTenantJobs(suite.app);
});

const activate = (key: string, fingerprint: string) =>
  suite.tenant.asApplication(`/licenses/${key}/activations`, { fingerprint });
const heartbeat = (key: string, id: string) =>
  suite.tenant.asApplication(`/licenses/${key}/activations/${id}/heartbeat`);
const storedActivation = (id: string) =>
  suite.app.services.tenants.withTenantDb(suite.tenant.id, (db) =>
    db.query.selectFrom('activations').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  );
const expiredEvents = async () =>
  (await suite.tenant.asOwner('GET', '/audit-logs?event=ACTIVATION.EXPIRED&limit=100')).body.data;

describe('expired leases', () => {
  test('an expired lease is closed at its end and audited once, and the job is due at the next end', async () => {
    const { key } = await newLicense(suite.tenant, { lease_seconds: 60 });
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
    expect((await jobRow(suite.app, suite.tenant.id, leaseJobKind)).due_at).toBe(second.lease_expires_at);
    const answer = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${first.id}&event=ACTIVATION.EXPIRED`);
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
      expect(await eventsOf(suite.tenant, id)).toEqual(['ACTIVATION.EXPIRED', 'ACTIVATION.CREATED']);
      expect((await suite.tenant.asOwner('GET', `/activations/${id}`)).body.data.status).toBe('expired');
    }
  });

  test('an expired lease that a new activation closes before the job is audited once as well', async () => {
    const { key } = await newLicense(suite.tenant, { lease_seconds: 60, max_activations: 1 });
    const first = created(await activate(key, 'a'));
    clock.advance(61_000);
    const second = created(await activate(key, 'a'));
    await runTenantJobs(suite.app);
    expect(await eventsOf(suite.tenant, first.id)).toEqual(['ACTIVATION.EXPIRED', 'ACTIVATION.CREATED']);
    expect(await storedActivation(first.id)).toMatchObject({ released_at: first.lease_expires_at });
    expect((await storedActivation(second.id)).released_at).toBeNull();
  });

  test('an expired lease gives the same verdict before and after it is closed, until the next activation', async () => {
    const { key } = await newLicense(suite.tenant, { lease_seconds: 60, require_activation: true });
    const { id } = created(await activate(key, 'a'));
    const verdict = async (fingerprint = 'a') => {
      const { body } = await suite.tenant.asApplication(`/licenses/${key}/validate`, { fingerprint });
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
    await suite.tenant.asApplication(`/licenses/${key}/activations/${back.id}/deactivate`);
    expect(await verdict()).toEqual(['ACTIVATION.NOT_FOUND', null, null]);
  });

  test('the lease job does not close activations that are renewed, deactivated or without a lease', async () => {
    const floating = await newLicense(suite.tenant, { lease_seconds: 60 });
    const fixed = await newLicense(suite.tenant);
    const renewed = created(await activate(floating.key, 'a'));
    const unleased = created(await activate(fixed.key, 'a'));
    const gone = created(await activate(floating.key, 'b'));
    clock.advance(59_000);
    expect((await heartbeat(floating.key, renewed.id)).status).toBe(200);
    await suite.tenant.asApplication(`/licenses/${floating.key}/activations/${gone.id}/deactivate`);
    clock.advance(2000);
    await runTenantJobs(suite.app);
    for (const { id } of [renewed, unleased]) expect((await storedActivation(id)).released_at).toBeNull();
    expect((await storedActivation(gone.id)).release_reason).toBe('deactivated');
  });

  test('the daily run closes an expired lease even when the wake-up was lost', async () => {
    const { key } = await newLicense(suite.tenant, { lease_seconds: 60 });
    const { id } = created(await activate(key, 'a'));
    await suite.app.services.wakeUps.flush();
    const { platform } = suite.app.services;
    await platform.query.deleteFrom('jobs').where('subject_id', '=', suite.tenant.id).execute();
    await createBackgroundJobs(suite.app.services).sweep.sweepNext();
    clock.advance(86_400_000);
    await runTenantJobs(suite.app);
    expect((await storedActivation(id)).release_reason).toBe('lease_expired');
  });
});

test('450 leases that end at the same time are all closed and audited once each', async () => {
  const { key, id: licenseId } = await newLicense(suite.tenant, { lease_seconds: 60 });
  const template = await storedActivation(created(await activate(key, 'first')).id);
  const ids = Array.from({ length: 450 }, () => newId());
  await suite.app.services.tenants.withTenantDb(suite.tenant.id, (db) =>
    db.query
      .insertInto('activations')
      .values(ids.map((id) => ({ ...template, id, fingerprint: id })))
      .execute(),
  );
  const before = await suite.app.services.tenants.withTenantDb(suite.tenant.id, countExpiredEvents);
  clock.advance(61_000);
  await runTenantJobs(suite.app);
  const after = await suite.app.services.tenants.withTenantDb(suite.tenant.id, countExpiredEvents);
  expect(after - before).toBe(451);
  const open = await suite.tenant.asOwner('GET', `/activations?license_id=${licenseId}&status=active`);
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

test('concurrent jobs, activations and heartbeats close each lease once and never exceed the limit', async () => {
  const { key, id: licenseId } = await newLicense(suite.tenant, { lease_seconds: 60, max_activations: 4 });
  const old = await Promise.all(['a', 'b', 'c', 'd'].map((name) => activate(key, name)));
  await suite.app.services.wakeUps.flush();
  clock.advance(60_001);
  const fingerprints = ['a', 'b', 'e', 'f', 'g', 'h'];
  const [answers, beats] = await Promise.all([
    Promise.all(fingerprints.map((name) => activate(key, name))),
    Promise.all(old.map((answer) => heartbeat(key, answer.body.data.id))),
    createBackgroundJobs(suite.app.services).runner.runDue(),
    createBackgroundJobs(suite.app.services).runner.runDue(),
  ]);
  await runTenantJobs(suite.app);
  expect(beats.map((answer) => answer.status)).toEqual([404, 404, 404, 404]);
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(4);
  expect((await suite.tenant.asOwner('GET', `/licenses/${licenseId}`)).body.data.activations_count).toBe(4);
  for (const answer of old) {
    expect(await eventsOf(suite.tenant, answer.body.data.id)).toEqual(['ACTIVATION.EXPIRED', 'ACTIVATION.CREATED']);
  }
  expect((await expiredEvents()).every((record: { actor_type: string }) => record.actor_type === 'system')).toBe(true);
});
