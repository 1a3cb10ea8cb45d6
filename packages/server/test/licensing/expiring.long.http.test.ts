import { beforeEach, describe, expect, test } from 'vitest';
import { expiringJob } from '../../src/features/licensing/licenses/expiring-job.ts';
import { inMs, runTenantJobs, scheduleJob } from '../jobs/job-rows.ts';
import { createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { newLicense, newPolicy } from '../support/licensing-catalog.ts';

const dayMs = 86_400_000;
const clock = useClock();
const suite = useApp();
let tenant: TestTenant;

beforeEach(async () => {
  clock.set('2026-11-20T12:00:00.000Z');
  tenant = await createTenant(suite.app, await createAdmin(suite.app));
});

const runJob = async () => {
  await scheduleJob(suite.app, tenant.id, 'expiring');
  await runTenantJobs(suite.app);
};
const notifications = () =>
  suite.app.services.tenants.withTenantDb(tenant.id, (db) =>
    db.query.selectFrom('notifications').selectAll().orderBy('created_at').execute(),
  );
const titles = async () => (await notifications()).map((notification) => notification.title);
const licenseEnding = (afterMs: number, fields: object = {}) =>
  newLicense(tenant, {}, { starts_at: '2026-01-01T00:00:00Z', expires_at: inMs(afterMs), ...fields });

describe('licenses that expire soon', () => {
  test('licenses that expire soon are reported once, in one notification a day with 5 examples', async () => {
    for (const [index, name] of ['Ada', 'Ben', 'Cyd', 'Dan', 'Eve', 'Fay', 'Gus'].entries()) {
      await licenseEnding((7 - index) * dayMs, { holder: { name }, key: `LICENSE-OF-${name}-000${index}` });
    }
    await runJob();
    const [notification, ...others] = await notifications();
    expect(others).toEqual([]);
    expect(notification).toMatchObject({
      type: 'license.expiring',
      severity: 'warning',
      title: '7 licenses expire within 14 days',
      body:
        '…0006 (Gus) on November 21, 2026; …0005 (Fay) on November 22, 2026; …0004 (Eve) on November 23, 2026; …0003 (Dan) on November 24, 2026; ' +
        '…0002 (Cyd) on November 25, 2026; and 2 more. Renew the licenses that should continue.',
      read_at: null,
    });
    await runJob();
    clock.advance(dayMs);
    await runJob();
    expect(await titles()).toHaveLength(1);
  });

  test('licenses expire soon from just after now to the last of the days in the settings', async () => {
    await tenant.asOwner('PUT', '/settings', { expiring_soon_days: 1 });
    await licenseEnding(0);
    await licenseEnding(1);
    await licenseEnding(dayMs);
    await licenseEnding(dayMs + 1000);
    await runJob();
    expect(await titles()).toEqual(['2 licenses expire within a day']);
  });

  test.each([
    ['has no end', async () => void (await newLicense(tenant))],
    ['is suspended', async () => suspend((await licenseEnding(dayMs)).id)],
    ['is revoked', async () => void (await act((await licenseEnding(dayMs)).id, 'revoke'))],
    ['is deleted', async () => void (await tenant.asOwner('DELETE', `/licenses/${(await licenseEnding(dayMs)).id}`))],
  ])('a license is not reported as expiring when it %s', async (_title, make) => {
    await make();
    await runJob();
    expect(await titles()).toEqual([]);
  });

  test('an expiring license is reported after it is reinstated', async () => {
    const { id } = await licenseEnding(3 * dayMs);
    await suspend(id);
    await runJob();
    clock.advance(dayMs);
    await act(id, 'reinstate');
    await runJob();
    expect(await titles()).toEqual(['1 license expires within 14 days']);
  });

  test('expiring licenses found after the notification of a day are part of the next notification', async () => {
    await licenseEnding(5 * dayMs);
    await runJob();
    for (let count = 0; count < 2; count += 1) await licenseEnding(6 * dayMs);
    await runJob();
    expect(await titles()).toEqual(['1 license expires within 14 days']);
    clock.advance(dayMs);
    await licenseEnding(7 * dayMs);
    await runJob();
    expect(await titles()).toEqual(['1 license expires within 14 days', '3 licenses expire within 14 days']);
  });
});

const act = (id: string, action: string) => tenant.asOwner('POST', `/licenses/${id}/${action}`);
const suspend = async (id: string) => void (await act(id, 'suspend'));

describe('one report per license and end date', () => {
  test('a renewed license is reported again when its new end is near', async () => {
    const policy = await newPolicy(tenant, { duration_days: 30 });
    const made = await tenant.asOwner('POST', '/licenses', { policy_id: policy.id, expires_at: inMs(5 * dayMs) });
    await runJob();
    await act(made.body.data.id, 'renew');
    clock.advance(dayMs);
    await runJob();
    expect(await titles()).toHaveLength(1);
    clock.advance(20 * dayMs);
    await runJob();
    expect(await titles()).toHaveLength(2);
  });

  test('a license is reported again when its end was changed, and not when another field was changed', async () => {
    const { id } = await licenseEnding(5 * dayMs);
    await runJob();
    clock.advance(dayMs);
    await tenant.asOwner('PUT', `/licenses/${id}`, { holder: { name: 'Ada' } });
    await runJob();
    expect(await titles()).toHaveLength(1);
    await tenant.asOwner('PUT', `/licenses/${id}`, { expires_at: inMs(2 * dayMs) });
    await runJob();
    expect(await titles()).toHaveLength(2);
  });

  test('an expiring license is reported once, even when the settings and the clock change', async () => {
    await licenseEnding(10 * dayMs);
    await runJob();
    await tenant.asOwner('PUT', '/settings', { expiring_soon_days: 2 });
    for (const moment of ['2026-11-21', '2026-11-19', '2026-11-28', '2026-11-20', '2026-11-22']) {
      clock.set(`${moment}T12:00:00.000Z`);
      await tenant.asOwner('PUT', '/settings', { expiring_soon_days: moment === '2026-11-22' ? 30 : 2 });
      await runJob();
    }
    expect(await titles()).toEqual(['1 license expires within 14 days']);
  });

  test('two concurrent runs report each of 1,101 expiring licenses once', async () => {
    const { id } = await licenseEnding(5 * dayMs);
    await suite.app.services.tenants.withTenantDb(tenant.id, async ({ query }) => {
      const row = await query.selectFrom('licenses').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      for (let batch = 0; batch < 11; batch += 1) {
        const names = Array.from({ length: 100 }, (_, index) => `${row.id.slice(0, -6)}${batch + 10}${1000 + index}`);
        await query
          .insertInto('licenses')
          .values(names.map((name) => ({ ...row, id: name, key: name })))
          .execute();
      }
    });
    await scheduleJob(suite.app, tenant.id, 'expiring');

    const { signal } = new AbortController();
    const job = expiringJob(suite.app.services);
    const run = () =>
      suite.app.services.tenants.withTenantDb(tenant.id, (db) => job.run({ tenantId: tenant.id, db, signal }));
    await Promise.all([run(), run()]);
    clock.advance(dayMs);
    await runJob();
    const counts = (await titles()).map((title) => Number.parseInt(title, 10));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1101);
  });
});
