import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { endAbandonedMoves } from '../../../src/features/accounts/tenants/move-claim-service.ts';
import { createAdmin, createTenant, type TestTenant } from '../../support/accounts.ts';
import { compileCache } from '../../support/compile-cache.ts';
import { useClock } from '../../support/harness.ts';
import { newLicense } from '../../support/licensing-catalog.ts';
import { useOtherApp } from '../archive/sites.ts';
import { firstServer, moveAndRemove, onServers, placeOf, secondServer, tracesOf } from './places.ts';
import { namesIn } from './writers.ts';

const killedMover = fileURLToPath(new URL('killed-mover.ts', import.meta.url));
const leaseMs = 30_000;

/** Only `npm run test:soak` covers all steps and the other direction, because each kill starts a process. */
const isSoak = process.env['MOVE_KILLS'] === 'all';
const unsealed = ['Preparing', 'Pausing', 'Sealing'].map((stage) => ({ stage, healer: 'the end of its lease' }));
const sealed = ['Copying', 'Completing', 'Switching'].flatMap((stage) =>
  ['a sweep', 'the next move'].map((healer) => ({ stage, healer })),
);
const kills = [...unsealed, ...sealed].filter(({ stage }) => isSoak || ['Sealing', 'Completing'].includes(stage));
/** Starting a process and creating databases can take long on a busy machine. */
const timeoutMs = 60_000;
const allSites = [
  { platform: 'sqlite', home: 'embedded', away: secondServer },
  { platform: 'sqlite', home: firstServer, away: 'embedded' },
  { platform: 'postgres', home: firstServer, away: secondServer },
] as const;
const sites = allSites.filter(({ home }) => isSoak || home === 'embedded');

describe.for(sites)('a move from $home to $away with the platform on $platform', ({ platform, home, away }) => {
  const clock = useClock(new Date().toISOString());
  const suite = useOtherApp(platform, onServers);
  const acknowledged: string[] = [];
  let tenant: TestTenant;
  let key: string;
  beforeAll(async () => {
    tenant = await createTenant(suite.app, await createAdmin(suite.app));
    ({ key } = await newLicense(tenant));
  });

  async function killMoveAt(stage: string): Promise<void> {
    const child = spawn(process.execPath, [killedMover, tenant.id, away, stage, String(Date.now())], {
      env: { PATH: process.env['PATH'], ...suite.app.site.env, ...compileCache, ...onServers },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [, signal] = await once(child, 'close');
    expect(signal).toBe('SIGKILL');
  }

  async function write(): Promise<unknown> {
    const reference = `after ${acknowledged.length}`;
    const policy = { policy_id: (await newestPolicy()).id, holder: { reference } };
    const { status, body } = await tenant.asOwner('POST', '/licenses', policy);
    if (status === 201) acknowledged.push(reference);
    return body.error?.code ?? status;
  }

  const newestPolicy = async () => (await tenant.asOwner('GET', '/policies?limit=1')).body.data[0];
  const verdict = async () => (await tenant.asApplication(`/licenses/${key}/validate`)).body.data?.valid;

  test.for(kills)(
    `a move from ${home} that is killed at the step $stage loses nothing, is undone by $healer, and can be repeated`,
    { timeout: timeoutMs },
    async ({ stage, healer }) => {
      await moveAndRemove(suite.app, tenant.id, home);
      await killMoveAt(stage);
      expect(await verdict()).toBe(true);
      const isSealed = sealed.some((kill) => kill.stage === stage);
      const copy = stage === 'Preparing' ? [] : [expect.stringMatching(/[0-9a-f]{12}$/)];
      expect(await tracesOf(suite.app, tenant.id)).toEqual([...(isSealed ? ['seal'] : []), ...copy]);
      expect(await write()).toBe(isSealed || stage === 'Sealing' ? 'TENANT.MOVING' : 201);
      const again = () => moveAndRemove(suite.app, tenant.id, away);
      await expect(again()).rejects.toThrow('is being moved by another command');
      clock.advance(2 * leaseMs);
      if (healer === 'a sweep') await endAbandonedMoves(suite.app.services);
      if (healer !== 'the next move') expect(await write()).toBe(201);
      expect(await placeOf(suite.app, tenant.id)).toBe(home);
      if (healer === 'a sweep') expect(await tracesOf(suite.app, tenant.id)).toEqual([]);
      await again();
      expect(await tracesOf(suite.app, tenant.id)).toEqual([]);
      expect(await placeOf(suite.app, tenant.id)).toBe(away);
      expect(await write()).toBe(201);
      expect((await namesIn(suite.app, tenant.id)).sort()).toEqual(acknowledged.toSorted());
      expect(await verdict()).toBe(true);
    },
  );
});
