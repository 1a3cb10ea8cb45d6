import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { announceNode, saveNode } from '../../src/tenancy/nodes.ts';
import { licensing } from '../commands/licensing.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, startApp, stopApp, type TestApp, type TestSite } from '../support/harness.ts';
import { firstServer, onServers, placeOf, secondServer } from '../tenancy/move/places.ts';

const [firstUrl = '', secondUrl = ''] = (onServers['TENANT_DATABASE_URLS'] ?? '').split(',');
const onFirst = { TENANT_DATABASE_URLS: firstUrl };

let site: TestSite;
let tenantId = '';
beforeAll(async () => {
  site = await createSite('postgres');
  const made = await licensing(['tenants', 'create', '--name', 'Acme'], { ...site.env, ...onFirst });
  tenantId = made.stdout.trim();
});
afterAll(() => site.remove());

/** Starts a listening node until the end of the test. */
async function startNode(env: NodeJS.ProcessEnv): Promise<TestApp> {
  const app = await startApp(site, env);
  await app.listen();
  onTestFinished(() => stopApp(app));
  return app;
}

function run(line: string, env: NodeJS.ProcessEnv = onServers) {
  return licensing(line.split(' '), { ...site.env, ...env });
}

const refusal = new RegExp(
  `No tenant can be placed on ${secondServer}, because node \\S+ \\(process ${process.pid}\\) cannot open it there\\. ` +
    'That node does not have the server in TENANT_DATABASE_URLS',
);

describe('while a node runs that does not have a server in its configuration', () => {
  test('a tenant is not moved, imported or created there, and keeps being served', async () => {
    const node = await startNode(onFirst);
    const archive = join(site.dataDir, 'archive');
    onTestFinished(() => rm(archive, { force: true }));
    expect(await run(`tenants export ${tenantId} --to ${archive}`)).toMatchObject({ code: 0 });
    const onSecond = { TENANT_DATABASE_URLS: secondUrl };
    const refused = [
      await run(`tenants move ${tenantId} --to ${secondServer}`),
      await run(`tenants move-all --from ${firstServer} --to ${secondServer}`),
      await run('tenants create --name Other', onSecond),
      await run(`tenants import ${archive} --replace`, onSecond),
    ];
    for (const { code, stdout, stderr } of refused) {
      expect(stdout + stderr).toMatch(refusal);
      expect(code).toBe(1);
    }
    expect(await placeOf(node, tenantId)).toBe(firstServer);
    const jwks = await node.request({ method: 'GET', url: `/api/v1/tenants/${tenantId}/jwks.json` });
    expect(jwks.status).toBe(200);
  });

  test('new tenants are created only on servers that every node has', async () => {
    const admin = await createAdmin(await startNode(onFirst));
    const other = await startNode(onServers);
    // The second server has fewer tenants, so it would be the first choice.
    const { id } = await createTenant(other, admin, 'One');
    expect(await placeOf(other, id)).toBe(firstServer);
  });

  test('"platform move" into the database of that node is refused', async () => {
    await startNode(onFirst);
    const here = await createSite('sqlite');
    onTestFinished(() => here.remove());
    expect(await licensing(['migrate'], here.env)).toMatchObject({ code: 0 });
    expect(await run('platform move', { DATA_DIR: here.dataDir })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^node .* serves the database at DATABASE_URL: stop it/),
    });
  });
});

test('an embedded service refuses a move to a server that only the command has', async () => {
  const embedded = await createSite('sqlite');
  const app = await startApp(embedded);
  onTestFinished(async () => {
    await stopApp(app);
    await embedded.remove();
  });
  await app.listen();
  const { id } = await createTenant(app, await createAdmin(app), 'Files');
  const { code, stderr } = await licensing(['tenants', 'move', id, '--to', secondServer], {
    ...embedded.env,
    ...onServers,
  });
  expect(stderr).toMatch(refusal);
  expect(code).toBe(1);
  expect(await placeOf(app, id)).toBe('embedded');
});

test('a node that was killed a minute ago prevents no move', async () => {
  const app = await startApp(site, onServers);
  onTestFinished(() => stopApp(app));
  const dead = {
    id: '01890000-0000-7000-8000-000000000000',
    name: 'node dead (process 1)',
    places_json: '["embedded"]',
    started_at: '2026-01-01T00:00:00.000000Z',
    app_key_fingerprint: null,
  };
  const { platform, clock } = app.services;
  const long = '2999-01-01T00:00:00.000000Z';
  await saveNode(platform, { ...dead, expires_at: long }, clock.now());
  expect(await run(`tenants move ${tenantId} --to ${secondServer}`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('node dead (process 1) cannot open it'),
  });
  await saveNode(platform, { ...dead, expires_at: clock.now() }, clock.now());
  expect(await run(`tenants move ${tenantId} --to ${secondServer}`)).toMatchObject({ code: 0 });
});

test('"doctor" names a node whose clock is ahead', async () => {
  const { services } = await startNode(onServers);
  const clock = systemClock(() => Date.now() + 90 * 60_000);
  const ahead = await announceNode({ ...services, clock, isOnlyNode: false });
  const { code, stdout } = await run('doctor');
  await ahead.withdraw();
  expect(stdout).toMatch(
    /^problem {2}The clock of node \S+ \(process \d+\) is at least 5[34]\d\d s ahead of this machine's\. Synchronise/m,
  );
  expect(code).toBe(1);
  expect((await run('doctor')).stdout).not.toContain('ahead of this machine');
});

test('a node that starts without the server of existing tenants warns, and "doctor" reports it until it stops', async () => {
  const node = await startApp(site, onFirst);
  const warnings: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line) => void warnings.push(JSON.parse(line).msg) });
  const { services } = node;
  const announcement = await announceNode({ ...services, logger, isOnlyNode: false });
  expect(warnings).toEqual([
    expect.stringMatching(
      new RegExp(
        `^\\d+ tenants are on ${secondServer}, which this node cannot reach: add the server to TENANT_DATABASE_URLS`,
      ),
    ),
  ]);
  const found = await run('doctor');
  expect(found.stdout).toMatch(/^ok {7}Running nodes: node \S+ \(process \d+\)$/m);
  expect(found.stdout).toMatch(
    new RegExp(
      `^problem {2}node \\S+ \\(process \\d+\\) does not have the server ${secondServer}, which holds \\d+ tenants\\. Add it`,
      'm',
    ),
  );
  expect(found.code).toBe(1);
  await announcement.withdraw();
  await stopApp(node);
  const after = await run('doctor');
  expect(after.stdout).toContain('No node has announced itself');
  expect(after.stdout).not.toMatch(/^problem .*does not have the server/m);
});
