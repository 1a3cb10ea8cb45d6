import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { commands } from '../../src/commands/all.ts';
import { createSite, type TestSite } from '../support/harness.ts';
import { licensing, licensingProcess, startServe } from './licensing.ts';

const noTenant = '01890000-0000-7000-8000-000000000000';
/** The arguments of each command that opens the installation. */
const lines: Readonly<Record<string, string>> = {
  migrate: '',
  doctor: '',
  'admins create': '--email root@example.com --role admin',
  'admins reset-two-factor': '--email root@example.com',
  'users reset-two-factor': '--email root@example.com',
  'tenants list': '',
  'tenants create': '--name Acme',
  'tenants suspend': noTenant,
  'tenants reinstate': noTenant,
  'tenants export': `${noTenant} --to FOLDER/archive`,
  'tenants import': 'FOLDER/archive',
  'tenants move': `${noTenant} --to embedded`,
  'tenants move-all': '--from embedded --to 127.0.0.1:1',
  'tenants purge': `${noTenant} --yes`,
  'tenants rotate-signing-key': noTenant,
  'keys reseal': '',
  'keys status': '',
  backup: '--to FOLDER/backup',
  restore: 'FOLDER/backup',
  'jobs list': '',
  'jobs retry': `${noTenant} deliveries`,
  'mails list': '',
  'mails retry': 'dead',
  'demo remove': '',
  'marketing send': `--subject News --text ${import.meta.filename}`,
};

function argumentsOf(name: string, folder: string): string[] {
  return `${name} ${lines[name]}`.trim().replace('FOLDER', folder).split(' ');
}

let site: TestSite;
beforeAll(async () => {
  const made = await createSite();
  // Without APP_KEY the embedded engine keeps the application key in a file.
  site = { ...made, env: { ...made.env, APP_KEY: '' } };
  expect(await licensing(['tenants', 'create', '--name', 'Acme'], site.env)).toMatchObject({ code: 0 });
});
afterAll(() => site.remove());

/** Returns every path in a folder with the digest of its content, to compare two moments. */
async function contentOf(folder: string): Promise<string[]> {
  const paths = (await readdir(folder, { recursive: true })).sort();
  return Promise.all(
    paths.map(async (path) => {
      const file = join(folder, path);
      if ((await stat(file)).isDirectory()) return path;
      return `${path} ${createHash('sha256')
        .update(await readFile(file))
        .digest('hex')}`;
    }),
  );
}

/** Moves a file of the site away until the end of the test. */
async function hide(name: string): Promise<void> {
  const [path, hidden] = [join(site.dataDir, name), `${site.dataDir}-${name}`];
  await rename(path, hidden);
  onTestFinished(() => rename(hidden, path));
}

function show({ code, stdout, stderr }: Awaited<ReturnType<typeof licensing>>) {
  return { code, output: stdout + stderr };
}

describe('data without its application key', () => {
  test('the table names every command except those that open no embedded installation', () => {
    const others = ['serve', 'platform move', 'keys generate', 'backup verify'];
    expect(Object.keys(lines).sort()).toEqual(
      commands
        .map(({ name }) => name)
        .filter((name) => !others.includes(name))
        .sort(),
    );
  });

  test.for(Object.keys(lines))('"%s" names the missing app.key, and creates and changes nothing', async (name) => {
    await hide('app.key');
    const before = await contentOf(site.dataDir);
    const { code, output } = show(await licensing(argumentsOf(name, site.dataDir), site.env));
    expect(output).toContain(`app.key is missing in ${site.dataDir}, which contains data (platform.db).`);
    expect(output).toMatch(/Copy app\.key from .* beside your backups .* or set APP_KEY/);
    expect(output).not.toContain('first start creates');
    expect(code).toBe(1);
    expect(await contentOf(site.dataDir)).toEqual(before);
  });

  test('"serve" names the missing app.key and creates nothing, not even its lock', async () => {
    await hide('app.key');
    await rm(join(site.dataDir, 'serve.lock'), { force: true });
    const before = await contentOf(site.dataDir);
    const { code, stderr } = await licensingProcess(['serve'], site.env);
    expect(stderr).toContain(`app.key is missing in ${site.dataDir}`);
    expect(code).toBe(1);
    expect(await contentOf(site.dataDir)).toEqual(before);
  });

  test('the databases of tenants alone count as data', async () => {
    await hide('app.key');
    await hide('platform.db');
    const before = await contentOf(site.dataDir);
    const { code, stderr } = await licensing(['tenants', 'list'], site.env);
    expect(stderr).toContain('app.key is missing in');
    expect(stderr).toContain('contains data (tenants)');
    expect(code).toBe(1);
    expect(await contentOf(site.dataDir)).toEqual(before);
  });

  test('APP_KEY in the environment replaces the missing file', async () => {
    const key = (await readFile(join(site.dataDir, 'app.key'), 'utf8')).trim();
    await hide('app.key');
    expect(await licensing(['tenants', 'list'], { ...site.env, APP_KEY: key })).toMatchObject({ code: 0 });
  });
});

test('the databases of tenants without a platform database are reported, and no new one is created', async () => {
  await hide('platform.db');
  for (const command of ['migrate', 'doctor']) {
    const { code, output } = show(await licensing([command], site.env));
    expect(output).toContain(`platform.db is missing in ${site.dataDir}, which contains the databases of tenants.`);
    expect(code).toBe(1);
  }
  expect(await readdir(site.dataDir)).not.toContain('platform.db');
});

test.for(['migrate', 'doctor'])('"%s" names the file of a wrong application key, and changes nothing', async (name) => {
  await hide('app.key');
  const file = join(site.dataDir, 'app.key');
  await writeFile(file, 'another-application-key-0123456789', { mode: 0o600 });
  onTestFinished(() => rm(file));
  const before = await contentOf(site.dataDir);
  const { code, output } = show(await licensing([name], site.env));
  expect(output).toContain(`${file} is not the application key of this data. Replace the file with the app.key`);
  expect(output).not.toMatch(/\bAPP_KEY\b/);
  expect(code).toBe(1);
  expect(await contentOf(site.dataDir)).toEqual(before);
});

describe('a data directory that cannot be used', () => {
  const cases = [
    { folder: '/proc/nope', says: /cannot be used: the system refuses to create a folder there.*\(ENOENT\)/ },
    { folder: 'FILE', says: /cannot be used: it is a file, not a folder.*\(EEXIST\)/ },
    { folder: 'FILE/deeper', says: /cannot be used: a part of its path is a file.*\(ENOTDIR\)/ },
    { folder: `/tmp/${'x'.repeat(300)}`, says: /cannot be used: its path is too long.*\(ENAMETOOLONG\)/ },
  ];

  test.for(cases)('"migrate" and "doctor" explain DATA_DIR=$folder', async ({ folder, says }) => {
    const file = join(site.dataDir, 'a-file');
    await writeFile(file, '');
    onTestFinished(() => rm(file));
    const env = { ...site.env, DATA_DIR: folder.replace('FILE', file) };
    // In its own process where a regression would block the event loop of this one for ever.
    const run = folder.startsWith('/proc') ? licensingProcess : licensing;
    const migrated = await run(['migrate'], env);
    expect(migrated.stderr).toMatch(says);
    expect(migrated.stderr).toContain('DATA_DIR');
    expect(migrated.code).toBe(1);
    const { code, stdout } = await licensing(['doctor'], env);
    expect(stdout).toMatch(/^problem .*DATA_DIR/m);
    expect(stdout).not.toContain('first start creates');
    expect(stdout).not.toContain('No service runs');
    expect(code).toBe(1);
  });

  test('"serve" explains DATA_DIR=/proc/nope', async () => {
    const { code, stderr } = await licensingProcess(['serve'], { ...site.env, DATA_DIR: '/proc/nope' });
    expect(stderr).toMatch(/^The data directory \/proc\/nope cannot be used: .*\n$/);
    expect(code).toBe(1);
  });

  test('"backup" explains a target that the system refuses', async () => {
    const { code, stderr } = await licensing(['backup', '--to', '/proc/nope/backup'], site.env);
    expect(stderr).toContain('/proc/nope');
    expect(stderr).not.toContain('Internal error');
    expect(code).toBe(1);
  });
});

test('"doctor" does not call the service of another data directory this service', async () => {
  const other = join(site.dataDir, 'other');
  await mkdir(other, { mode: 0o700 });
  onTestFinished(() => rm(other, { recursive: true }));
  const { address } = await startServe([], site.env);
  const { code, stdout } = await licensing(['doctor'], { ...site.env, DATA_DIR: other, PORT: new URL(address).port });
  expect(stdout).toContain(`No service runs on ${other}`);
  expect(stdout).not.toContain('This service responds');
  expect(stdout).toMatch(/^problem {2}The service of another data directory responds on port \d+\. .*DATA_DIR/m);
  expect(code).toBe(1);
  const own = await licensing(['doctor'], { ...site.env, PORT: new URL(address).port });
  expect(own.stdout).toContain(`A service runs on ${site.dataDir}`);
  expect(own.stdout).toContain('This service responds on port');
});
