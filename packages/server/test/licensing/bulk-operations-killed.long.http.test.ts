import { expect, test } from 'vitest';
import { type KillableService, startKillable } from '../crash/killable-service.ts';
import {
  call,
  type KilledTenant,
  killWhileWorking,
  type Progress,
  prepareTenant,
  settled,
  validationsDuring,
} from '../support/killed-work.ts';
import { newPolicy } from '../support/licensing-catalog.ts';
import { csv, sendFile } from './license-files.ts';

// The service is killed while it changes many licenses. `BULK_LICENSES=100000` measures a large tenant.

const killedLicenses = 200;
const measuredLicenses = Number(process.env['BULK_LICENSES'] ?? 400);
/** While licenses change, the slowest of a hundred validations takes at most so many times as long as otherwise. */
const slowerMost = 5;

interface Scene extends KilledTenant {
  readonly policyId: string;
}

/** Creates a tenant with many licenses of one policy. */
function prepare(count: number): Promise<Scene> {
  return prepareTenant(async (app, tenant) => {
    const { id: policyId } = await newPolicy(tenant, { code: 'yearly', duration_days: 365 });
    const lines = Array.from({ length: count }, (_, index) => `yearly,BULK-${index}`);
    expect((await sendFile(app, tenant, csv('policy,key', ...lines))).body.data.created).toBe(count);
    return { policyId };
  });
}

/** Starts an operation. */
async function start(service: KillableService, scene: Scene, path: string, body: object): Promise<string> {
  const { id, state } = await call(service, scene, path, body);
  expect(state).toBe('running');
  return id;
}

/** Returns how many licenses an operation has changed. */
const progressOf =
  (scene: Scene, id: string): Progress =>
  async (service) => {
    const { state, changed } = await call(service, scene, `/bulk-operations/${id}`);
    return state === 'running' ? changed : Number.POSITIVE_INFINITY;
  };

const ended = (service: KillableService, scene: Scene, id: string) =>
  settled(
    () => call(service, scene, `/bulk-operations/${id}`),
    ({ state }) => state !== 'running',
  );

/** Returns the ends of the licenses of the policy. */
async function endsOf(service: KillableService, scene: Scene): Promise<readonly string[]> {
  const path = `/api/v1/tenant/licenses/export?format=ndjson&policy_id=${scene.policyId}`;
  const text = await (await fetch(`${service.address}${path}`, { headers: scene.auth })).text();
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).expires_at);
}

test('an operation that is killed again and again changes every license once, and its undo does as well', {
  timeout: 1_200_000,
}, async () => {
  const scene = await prepare(killedLicenses);
  const first = await startKillable(scene.env, 0);
  const [end = ''] = await endsOf(first, scene);
  const extended = new Date(Date.parse(end) + 30 * 86_400_000).toISOString().slice(0, 19);
  const request = { filter: { policy_id: scene.policyId }, action: { type: 'extend', duration_days: 30 } };
  const id = await start(first, scene, '/bulk-operations', request);
  const aheadMs = await killWhileWorking(first, scene, progressOf(scene, id));
  const second = await startKillable(scene.env, aheadMs);
  const counts = { state: 'done', total: killedLicenses, changed: killedLicenses, unchanged: 0, refused: 0 };
  expect(await ended(second, scene, id)).toMatchObject(counts);
  expect((await endsOf(second, scene)).filter((one) => one.slice(0, 19) !== extended)).toEqual([]);
  const undoId = await start(second, scene, `/bulk-operations/${id}/undo`, {});
  const killing = { times: 1, aheadMs };
  const shiftMs = await killWhileWorking(second, scene, progressOf(scene, undoId), killing);
  const last = await startKillable(scene.env, shiftMs);
  expect(await ended(last, scene, undoId)).toMatchObject(counts);
  expect((await endsOf(last, scene)).filter((one) => one.slice(0, 19) !== end.slice(0, 19))).toEqual([]);
  await last.stop();
});

test('every validation is answered while many licenses change', { timeout: 3_600_000 }, async () => {
  const scene = await prepare(measuredLicenses);
  const { busyMs, idleMs } = await validationsDuring(
    scene,
    { name: 'licenses changed', count: measuredLicenses },
    async (service) => {
      const request = { filter: { policy_id: scene.policyId }, action: { type: 'extend', duration_days: 30 } };
      const id = await start(service, scene, '/bulk-operations', request);
      expect(await ended(service, scene, id)).toMatchObject({ state: 'done', changed: measuredLicenses });
    },
  );
  expect(busyMs).toBeLessThanOrEqual(Math.max(idleMs, 5) * slowerMost);
});
