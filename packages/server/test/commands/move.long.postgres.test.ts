import { readdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { commands } from '../../src/commands/all.ts';
import { runCommandLine } from '../../src/commands/command-line.ts';
import { tenantFile } from '../../src/tenancy/placement.ts';
import { findTenantRecord } from '../../src/tenancy/tenant-record.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, startApp, stopApp } from '../support/harness.ts';
import { tenantAt, useOtherApp } from '../tenancy/archive/sites.ts';
import { firstServer, moveAndRemove, onServers, placeOf, secondServer } from '../tenancy/move/places.ts';

const suite = useOtherApp('sqlite', onServers);
const ids: string[] = [];
beforeAll(async () => {
  const admin = await createAdmin(suite.app);
  for (const name of ['One', 'Two']) {
    const { id } = await createTenant(suite.app, admin, name);
    await moveAndRemove(suite.app, id, 'embedded');
    ids.push(id);
  }
});

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return runIn({ ...suite.app.site.env, ...onServers, ...env }, args);
}

async function runIn(env: NodeJS.ProcessEnv, args: readonly string[]) {
  const written = { stdout: '', stderr: '', progress: '' };
  const add = (to: keyof typeof written) => (text: string) => {
    written[to] += `${text}\n`;
  };
  const code = await runCommandLine(commands, args, {
    env,
    stdin: Readable.from([]),
    isInteractive: true,
    print: add('stdout'),
    note: add('stderr'),
    progress: add('progress'),
  });
  return { code, ...written };
}

async function fileOf(id: string): Promise<string> {
  const record = await findTenantRecord(suite.app.services.platform, id);
  return tenantFile(suite.app.site.dataDir, id, record?.database_name);
}

test('"tenants move-all" moves every tenant of a place, and a failure does not stop the others', async () => {
  const [first = '', second = ''] = ids;
  const file = await fileOf(first);
  await suite.app.services.tenants.close();
  await rename(file, `${file}.away`);
  const all = ['tenants', 'move-all', '--from', 'embedded', '--to', firstServer];
  expect(await run(all)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(new RegExp(`^${first}  The database .* cannot be opened`)),
    stderr: `1 of 2 tenants of embedded are at ${firstServer}.\n`,
    progress: expect.stringContaining('2 of 2 tenants'),
  });
  expect(await placeOf(suite.app, second)).toBe(firstServer);
  await rename(`${file}.away`, file);
  expect(await run(all)).toMatchObject({
    code: 0,
    stdout: '',
    stderr: `1 of 1 tenants of embedded are at ${firstServer}.\n`,
  });
  expect((await readdir(dirname(file))).filter((name) => name.includes(first))).toEqual([]);
});

test('"tenants move" moves a tenant, and a second run reports that it is already there', async () => {
  const [id = ''] = ids;
  const move = ['tenants', 'move', id, '--to', secondServer];
  expect(await run(move)).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(`^Tenant ${id} is at ${secondServer}: \\d+ rows; writes were paused for `),
    ),
  });
  expect(await run(move)).toMatchObject({ code: 0, stderr: `Tenant ${id} is already at ${secondServer}.\n` });
});

test('"doctor" reports an interrupted move', async () => {
  const [id = ''] = ids;
  const { platform } = suite.app.services;
  const setMove = (move: { move_id: string | null; writes_paused_until: string | null }) =>
    platform.query.updateTable('tenants').set(move).where('id', '=', id).execute();
  await setMove({ move_id: 'a'.repeat(32), writes_paused_until: '2026-11-20T12:00:00.000000Z' });
  expect((await run(['doctor'])).stdout).toContain(`warning  A move of tenant ${id} was interrupted.`);
  await setMove({ move_id: null, writes_paused_until: null });
  expect((await run(['doctor'])).stdout).not.toContain('A move of tenant');
});

test('a move to an unavailable server fails before writes are paused', async () => {
  const [id = ''] = ids;
  const env = { TENANT_DATABASE_URLS: `${onServers['TENANT_DATABASE_URLS']},postgres://nobody@127.0.0.1:1/x` };
  expect(await run(['tenants', 'move', id, '--to', '127.0.0.1:1'], env)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/127\.0\.0\.1:1 refuses connections.*ECONNREFUSED/),
  });
  const record = await findTenantRecord(suite.app.services.platform, id);
  expect(record).toMatchObject({ placement: secondServer, writes_paused_until: null });
});

test('"platform move" moves the platform of a stopped service to PostgreSQL, and tenants keep their placements', async () => {
  const [here, there] = [await createSite('sqlite'), await createSite('postgres')];
  onTestFinished(async () => {
    await here.remove();
    await there.remove();
  });
  const before = await startApp(here, onServers);
  const admin = await createAdmin(before);
  const [onServer, inFile] = [await createTenant(before, admin, 'Server'), await createTenant(before, admin, 'File')];
  await moveAndRemove(before, inFile.id, 'embedded');
  await stopApp(before);
  const env: NodeJS.ProcessEnv = { ...there.env, ...onServers, DATA_DIR: here.dataDir };
  const other = { ...env, APP_KEY: `${env['APP_KEY']}-other` };
  expect(await runIn(other, ['platform', 'move'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('another application key'),
  });
  expect(await runIn(env, ['platform', 'move'])).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/rows to DATABASE_URL; .*\n1 tenants are still files/),
  });
  expect(await runIn(env, ['platform', 'move'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no platform database'),
  });
  const after = await startApp({ ...there, env });
  for (const tenant of [onServer, inFile]) {
    const { status } = await tenantAt(after, tenant).asApplication('/licenses/none/validate');
    expect(status).toBe(200);
  }
  await moveAndRemove(after, inFile.id, secondServer);
  expect((await tenantAt(after, inFile).asApplication('/licenses/none/validate')).status).toBe(200);
  await stopApp(after);
});

test('"tenants move" rejects invalid arguments before it opens a database', async () => {
  expect(await run(['tenants', 'move', 'nonsense', '--to', 'embedded'])).toMatchObject({ code: 2 });
  expect(await run(['tenants', 'move', '01a20109-dc69-7805-bc44-d169357c976e'])).toMatchObject({ code: 2 });
});
