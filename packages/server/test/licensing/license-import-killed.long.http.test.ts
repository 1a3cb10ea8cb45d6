import { expect, test } from 'vitest';
import { type KillableService, startKillable } from '../crash/killable-service.ts';
import { call, downMs, killWhileWorking, prepareTenant, settled, validationsDuring } from '../support/killed-work.ts';
import { newPolicy } from '../support/licensing-catalog.ts';
import { csv } from './license-files.ts';

// The service is killed while it imports a file. `IMPORTED_LICENSES=100000` measures a large one.

/** A step imports 128 of them. */
const killedRows = 2_000;
const measuredRows = Number(process.env['IMPORTED_LICENSES'] ?? 3_000);

const prepare = () =>
  prepareTenant(async (_app, tenant) => {
    await newPolicy(tenant, { code: 'yearly', duration_days: 365 });
    return {};
  });

const fileOf = (rows: number) =>
  csv('policy,key', ...Array.from({ length: rows }, (_, index) => `yearly,IMPORTED-${index}`));

test('an import that is killed again and again creates the license of every row once', {
  timeout: 1_200_000,
}, async () => {
  const tenant = await prepare();
  const first = await startKillable(tenant.env, 0);
  const { id } = await call(first, tenant, '/licenses/import?background=true', fileOf(killedRows));
  const read = (service: KillableService) => call(service, tenant, `/licenses/imports/${id}`);
  const progress = async (service: KillableService) => {
    const { state, done } = await read(service);
    return state === 'running' ? done : Number.POSITIVE_INFINITY;
  };
  const last = await startKillable(tenant.env, await killWhileWorking(first, tenant, progress));
  const found = await settled(
    () => read(last),
    ({ state }) => state !== 'running',
  );
  const done = { state: 'done', total: killedRows, done: killedRows, created: killedRows, failed: 0, errors: [] };
  expect(found).toMatchObject(done);
  const exported = await fetch(`${last.address}/api/v1/tenant/licenses/export?format=ndjson`, { headers: tenant.auth });
  const keys = [...(await exported.text()).matchAll(/"key":"(IMPORTED-\d+)"/g)].map(([, key]) => key);
  expect([keys.length, new Set(keys).size]).toEqual([killedRows, killedRows]);
  await last.stop();
});

test('an import that was cancelled creates no license after the service was killed', { timeout: 300_000 }, async () => {
  const tenant = await prepare();
  const first = await startKillable(tenant.env, 0);
  const { id } = await call(first, tenant, '/licenses/import?background=true', fileOf(killedRows));
  const read = (service: KillableService) => call(service, tenant, `/licenses/imports/${id}`);
  await settled(
    () => read(first),
    ({ done }) => done > 0,
  );
  const cancelled = await call(first, tenant, `/licenses/imports/${id}/cancel`, {});
  await first.kill();
  expect(cancelled).toMatchObject({ state: 'failed', created: cancelled.done });
  const second = await startKillable(tenant.env, downMs);
  // The rows of a later import are imported, so the job has run.
  const later = await call(second, tenant, '/licenses/import?background=true', csv('policy,key', 'yearly,LATER'));
  await settled(
    () => call(second, tenant, `/licenses/imports/${later.id}`),
    ({ state }) => state === 'done',
  );
  expect(await read(second)).toEqual(cancelled);
  const exported = await fetch(`${second.address}/api/v1/tenant/licenses/export`, { headers: tenant.auth });
  expect((await exported.text()).match(/IMPORTED-/g)).toHaveLength(cancelled.created);
  await second.stop();
});

test('every validation is answered while a file is imported in the background', { timeout: 3_600_000 }, async () => {
  const tenant = await prepare();
  await validationsDuring(tenant, { name: 'rows imported', count: measuredRows }, async (service) => {
    const { id } = await call(service, tenant, '/licenses/import?background=true', fileOf(measuredRows));
    const { created } = await settled(
      () => call(service, tenant, `/licenses/imports/${id}`),
      ({ state }) => state !== 'running',
    );
    expect(created).toBe(measuredRows);
  });
});
