import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repositoryRoot } from '../architecture/source-files.ts';

const run = promisify(execFile);
const dayMs = 24 * 3_600_000;
let folder: string;
let backups: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'licensing-test-'));
  backups = join(folder, 'backups');
});
afterAll(() => rm(folder, { recursive: true }));

const backUp = (env: NodeJS.ProcessEnv = {}) =>
  run(join(repositoryRoot, 'deploy/backup.sh'), {
    env: {
      ...{ PATH: process.env['PATH'], BACKUPS: backups, KEEP_DAYS: '14', DATA_DIR: join(folder, 'data') },
      NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
      ...env,
    },
  });

async function makeFolder(name: string, ageDays: number): Promise<void> {
  const path = join(backups, name);
  await mkdir(path, { recursive: true });
  const changedAt = new Date(Date.now() - ageDays * dayMs);
  await utimes(path, changedAt, changedAt);
}

test('the backup script removes old backups only after a new backup is complete, and makes a new one at each run', async () => {
  await makeFolder('2026-01-01', 16);
  await makeFolder('2026-01-15', 2);
  await makeFolder('of-somebody-else', 90);
  await expect(backUp({ PORT: 'none' })).rejects.toMatchObject({ code: 1 });
  expect((await readdir(backups)).sort()).toEqual(['2026-01-01', '2026-01-15', 'of-somebody-else']);

  await backUp();
  const [today = '', ...former] = (await readdir(backups)).sort().reverse().slice(1);
  expect(today).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(former).toEqual(['2026-01-15']);

  await makeFolder('2026-01-02T101500', 16);
  const { mtimeMs } = await stat(join(backups, today, 'manifest.json'));
  await backUp();
  expect((await stat(join(backups, today, 'manifest.json'))).mtimeMs).toBe(mtimeMs);
  const again = (await readdir(backups)).filter((name) => !['of-somebody-else', '2026-01-15', today].includes(name));
  expect(again).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT\d{6}$/)]);
  const second = join(backups, again[0] ?? '', 'manifest.json');
  expect((await stat(second)).size).toBeGreaterThan(0);

  // A backup of today that was interrupted is continued.
  await rm(second);
  await backUp();
  expect((await stat(second)).size).toBeGreaterThan(0);
});
