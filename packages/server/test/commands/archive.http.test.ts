import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../tools/eventually.ts';
import { takeServeLock } from '../../src/db/sqlite/serve-lock.ts';
import { updateTenant } from '../../src/features/accounts/tenants/service.ts';
import { tenantFile } from '../../src/tenancy/placement.ts';
import { systemActor } from '../../src/tenancy/tenant.ts';
import { findTenantRecord } from '../../src/tenancy/tenant-record.ts';
import { createTenant, useTenant } from '../support/accounts.ts';
import { createSite, engine, startApp, stopApp, type TestApp, type TestSite } from '../support/harness.ts';
import { createLicensingData, type LicensingData } from '../support/licensing-data.ts';
import { tenantAt } from '../tenancy/archive/sites.ts';
import { licensing } from './licensing.ts';

const suite = useTenant();
let data: LicensingData;
let folder: string;
beforeAll(async () => {
  data = await createLicensingData(suite.tenant);
  folder = await mkdtemp(join(tmpdir(), 'licensing-commands-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a command at an interactive terminal, on the site of the running service or on another one. */
const run = (args: readonly string[], env: NodeJS.ProcessEnv = suite.app.site.env, typed = '') =>
  licensing(args, env, { stdin: typed, isInteractive: true });

async function anotherSite(): Promise<TestSite> {
  const site = await createSite();
  onTestFinished(() => site.remove());
  return site;
}

async function verdictAt(app: TestApp): Promise<unknown> {
  const path = `/licenses/${data.licenseKey}/validate`;
  const { body } = await tenantAt(app, suite.tenant).asApplication(path);
  return body.data?.valid ?? body.error;
}

/** Starts a service on a site and validates the license there. */
async function verdictOn(site: TestSite): Promise<unknown> {
  const app = await startApp(site);
  try {
    return await verdictAt(app);
  } finally {
    await stopApp(app);
  }
}

test('a tenant can be exported and replaced while its service runs', async () => {
  const { id } = suite.tenant;
  const file = join(folder, 'tenant.ndjson.gz');
  const exported = await run(['tenants', 'export', id, '--to', file]);
  expect(exported).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f]{64}\n$/) });
  expect((await stat(file)).mode & 0o077).toBe(0);
  expect(await verdictAt(suite.app)).toBe(true);
  expect(await run(['tenants', 'import', file])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--replace'),
  });
  expect(await run(['tenants', 'import', file, '--replace'])).toMatchObject({ code: 0, stdout: `${id}\n` });
  expect(await verdictAt(suite.app)).toBe(true);
});

test('an exported tenant can be imported into another installation', async () => {
  const { id } = suite.tenant;
  const file = join(folder, 'moved.ndjson.gz');
  await run(['tenants', 'export', id, '--to', file]);
  const site = await anotherSite();
  expect(await run(['tenants', 'import', file], site.env)).toMatchObject({ code: 0, stdout: `${id}\n` });
  expect(await verdictOn(site)).toBe(true);
});

test('an installation can be backed up while it is served, and restored into an empty one with the same key', async () => {
  const target = join(folder, 'backup');
  expect(await run(['backup', '--to', target])).toMatchObject({ code: 0, stdout: `${target}\n` });
  const site = await anotherSite();
  const restored = await run(['restore', target], site.env);
  expect(restored).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Restored 1 tenants from the backup of/),
  });
  expect(await run(['restore', target], site.env)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('only into an empty installation'),
  });
  expect(await verdictOn(site)).toBe(true);
});

test('"backup verify" confirms a complete backup, and names a file of it that was damaged', async () => {
  const target = join(folder, 'verified');
  await run(['backup', '--to', target]);
  expect(await run(['backup', 'verify', target])).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/The backup of \S+ is complete and undamaged: \d+ tenants, \d+ rows\.\n$/),
  });
  const [archive = ''] = await readdir(join(target, 'tenants'));
  await truncate(join(target, 'tenants', archive), 100);
  expect(await run(['backup', 'verify', target])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${archive} is not an archive of this service, or is damaged or cut off`),
  });
});

test.runIf(engine === 'sqlite')(
  'a restore without an application key, or into a data directory in use, is rejected',
  async () => {
    const { APP_KEY: _key, ...withoutKey } = (await anotherSite()).env;
    expect(await run(['restore', folder], withoutKey)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('A backup does not contain the application key'),
    });
    const site = await anotherSite();
    const lock = takeServeLock(site.dataDir);
    expect(await run(['restore', folder], site.env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Another process already serves'),
    });
    lock.release();
  },
);

test('"tenants purge" asks for the id and deletes nothing when another id is typed', async () => {
  const { id } = await createTenant(suite.app, suite.admin, 'Gone');
  const purge = (typed: string, ...options: readonly string[]) =>
    run(['tenants', 'purge', id, ...options], suite.app.site.env, typed);
  expect((await purge(id, '--force')).stderr).toContain('Only a closed tenant can be purged');
  await updateTenant(suite.app.services, systemActor, id, { status: 'closed' });
  expect((await purge(id)).stderr).toContain('Use --force to purge it now');
  const mistyped = await purge(`${suite.tenant.id}\n`, '--force');
  expect(mistyped).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was deleted') });
  expect(await purge(`${id}\n`, '--force')).toMatchObject({ code: 0, stderr: expect.stringContaining('were deleted') });
  expect(await purge('', '--force', '--yes')).toMatchObject({
    code: 1,
    stderr: 'There is no such tenant. List the tenants to find its id.\n',
  });
  expect((await run(['tenants', 'list'])).stdout).not.toContain(id);
});

const binary = fileURLToPath(new URL('../../bin/licensing.mjs', import.meta.url));

/** Only on the embedded engine: there a new file shows from outside that the import has started. */
test.runIf(engine === 'sqlite')(
  'a killed import leaves an unused file that "doctor" reports, and the tenant is served unchanged',
  async () => {
    const { site } = suite.app;
    const { id } = suite.tenant;
    const file = join(folder, 'killed.ndjson.gz');
    await run(['tenants', 'export', id, '--to', file]);
    const tenantFolder = dirname(await fileOfTenant(id));
    const databases = () => readdir(tenantFolder).then((names) => names.filter((name) => name.endsWith('.db')));
    const before = new Set(await databases());
    const made = () => databases().then((names) => names.find((name) => !before.has(name)));
    // The import reads its file twice. It waits for the second time, after it has created the database.
    const pipe = join(folder, 'killed.pipe');
    execFileSync('mkfifo', [pipe]);
    const child = spawn(process.execPath, [binary, 'tenants', 'import', pipe, '--replace'], {
      env: { PATH: process.env['PATH'], ...site.env },
      stdio: 'ignore',
      // Its own process group, so that the launcher and its child are killed together.
      detached: true,
    });
    const ended = once(child, 'close');
    await writeFile(pipe, await readFile(file));
    await eventually(async () => expect(await made()).toBeDefined());
    process.kill(-Number(child.pid), 'SIGKILL');
    await ended;
    expect(await verdictAt(suite.app)).toBe(true);
    const left = (await made()) ?? '';
    expect(basename(await fileOfTenant(id))).not.toBe(left);
    const anHourAgo = Date.now() / 1000 - 3600;
    await utimes(join(tenantFolder, left), anHourAgo, anHourAgo);
    expect((await run(['doctor'])).stdout).toContain(`${left} belongs to no tenant`);
    expect(await run(['tenants', 'import', file, '--replace'])).toMatchObject({ code: 0, stdout: `${id}\n` });
  },
);

async function fileOfTenant(id: string): Promise<string> {
  const record = await findTenantRecord(suite.app.services.platform, id);
  return tenantFile(suite.app.site.dataDir, id, record?.database_name);
}
