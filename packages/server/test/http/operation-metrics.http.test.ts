import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build, serviceVersion } from '../../src/version.ts';
import { licensing } from '../commands/licensing.ts';
import { createJumpingClock } from '../faults/load.ts';
import { createUser, freshAddress, testPassword } from '../support/accounts.ts';
import { createSite, engine, startApp, stopApp, type TestApp } from '../support/harness.ts';

const clock = createJumpingClock();
let app: TestApp;

beforeAll(async () => {
  app = await startApp(await createSite(), {}, undefined, clock);
});

afterAll(async () => {
  await stopApp(app);
  await app.site.remove();
});

async function metrics(): Promise<string> {
  return (await app.request({ method: 'GET', url: '/metrics' })).text;
}

/** Returns the value of a metric with the given labels; undefined if there is none. */
async function sampleOf(series: string): Promise<number | undefined> {
  const line = (await metrics()).split('\n').find((text) => text.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

test('the metrics have the version and the commit of the service', async () => {
  const labels = `version="${serviceVersion}",commit="${build.commit}",committed_at="${build.committedAt}"`;
  expect(await sampleOf(`licensing_build_info{${labels}}`)).toBe(1);
});

test('no gauge has the name of a counter', async () => {
  const types = [...(await metrics()).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  expect(types.length).toBeGreaterThan(20);
  expect(types.filter(([, name = '', type]) => name.endsWith('_total') !== (type === 'counter'))).toEqual([]);
});

test('the metrics have the time of the last complete backup, and 0 before the first one', async () => {
  const series = 'backup_last_success_timestamp_seconds';
  expect(await sampleOf(series)).toBe(0);
  const folder = await mkdtemp(join(tmpdir(), 'licensing-backup-'));
  const startedMs = Date.now();
  const made = await licensing(['backup', '--to', join(folder, 'one')], app.site.env);
  await rm(folder, { recursive: true, force: true });
  expect(made, made.stderr).toMatchObject({ code: 0 });
  const atMs = ((await sampleOf(series)) ?? 0) * 1000;
  expect(atMs).toBeGreaterThanOrEqual(startedMs);
  expect(atMs).toBeLessThanOrEqual(Date.now());
});

test('logins are counted by result: succeeded, failed, and refused after too many failures', async () => {
  const { email } = await createUser(app);
  const remoteAddress = freshAddress();
  const attempt = async (password: string) => {
    const payload = { email, password };
    return (await app.request({ method: 'POST', url: '/api/auth/login', remoteAddress, payload })).status;
  };
  const count = async (result: string) => (await sampleOf(`logins_total{ability="tenant",result="${result}"}`)) ?? 0;
  const succeeded = await count('succeeded');
  expect(await attempt(testPassword)).toBe(200);
  expect(await count('succeeded')).toBe(succeeded + 1);
  for (let failures = 0; failures < 5; failures += 1) expect(await attempt('a wrong password')).toBe(401);
  expect([await count('failed'), await count('locked')]).toEqual([5, 0]);
  expect(await attempt(testPassword)).toBe(429);
  expect([await count('failed'), await count('locked')]).toEqual([5, 1]);
});

test.runIf(engine === 'postgres')(
  'the metrics have the difference between the clocks of PostgreSQL and the node',
  async () => {
    const series = 'postgres_clock_difference_seconds';
    expect(Math.abs((await sampleOf(series)) ?? Number.NaN)).toBeLessThan(1);
    clock.jump(90 * 60_000);
    const behind = await sampleOf(series);
    clock.jump(-90 * 60_000);
    expect(behind).toBeGreaterThan(-5401);
    expect(behind).toBeLessThan(-5390);
  },
);

test.runIf(engine === 'sqlite')('the embedded engine has no clock of its own to compare', async () => {
  expect(await metrics()).not.toContain('postgres_clock_difference_seconds');
});
