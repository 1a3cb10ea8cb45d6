import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { repositoryRoot } from '../architecture/source-files.ts';
import { licensing } from '../commands/licensing.ts';
import { createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { createSite, startApp, type TestApp } from '../support/harness.ts';
import { newLicense } from '../support/licensing-catalog.ts';
import { createPlatformDatabase, onServer } from '../support/platform-template.ts';
import { findBinaries, type PostgresServer, serverIdentity, startPostgres } from '../support/postgres-server.ts';

const identity = serverIdentity();
let server: PostgresServer;
let folder: string;

beforeAll(async () => {
  server = await startPostgres({ durable: true });
  folder = mkdtempSync(join(tmpdir(), 'licensing-recovery-'));
  if (identity !== null) chownSync(folder, identity.uid, identity.gid);
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the blocks of the documented steps, with the folders of this test. */
function documentedBlocks(): string[] {
  const text = readFileSync(join(repositoryRoot, 'docs/operating/backups.md'), 'utf8');
  const [, section = ''] = /^### Point-in-time recovery of PostgreSQL$(.*?)^### /ms.exec(text) ?? [];
  return Array.from(section.matchAll(/^ {3}```\w+\n(.*?)^ {3}```/gms), ([, block = '']) =>
    block.replaceAll(/^ {3}/gm, '').replaceAll(/\/(archive|backups|recovered)\b/g, `${folder}/$1`),
  );
}

/** Runs a block as the user of PostgreSQL. */
function run(script: string): void {
  const path = `${findBinaries()}:${process.env['PATH']}`;
  const env = { PATH: path, SERVER_URL: server.url };
  execFileSync('sh', ['-e', '-c', script], { ...identity, cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

async function readValue(sql: string): Promise<string> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    return String(Object.values((await client.query(sql)).rows[0])[0]);
  } finally {
    await client.end();
  }
}

/** Configures the archive as documented. The other settings are flags of the tests' server, which a copy would not have. */
async function archive(settings: string): Promise<void> {
  const { port } = new URL(server.url);
  const flags = `port = ${port}\nmax_connections = 400\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '${folder}'\n`;
  const lines = (settings + flags).trim().split('\n');
  const statements = lines.map((line) => `alter system set ${line.replace(/= (?!')(.*)$/, "= '$1'")}`);
  await onServer(server.url, statements);
  run(`mkdir ${folder}/archive ${folder}/backups`);
  await server.halt('fast');
  await server.start();
}

/** Waits until the log up to now is in the archive. */
async function archiveLog(): Promise<void> {
  const file = await readValue('select pg_walfile_name(pg_current_wal_insert_lsn())');
  await onServer(server.url, ['select pg_switch_wal()']);
  while ((await readValue('select last_archived_wal from pg_stat_archiver')) < file) await delay(100);
}

async function verdictOf(app: TestApp, { apiKey }: TestTenant, { key }: { readonly key: string }): Promise<string> {
  const url = `/api/v1/integration/licenses/${key}/validate`;
  const { body } = await app.request({ method: 'POST', url, headers: { 'x-api-key': apiKey } });
  return body.data.code;
}

test('the documented recovery of PostgreSQL restores verdicts and tenants of its moment', {
  timeout: 180_000,
}, async () => {
  const [settings = '', baseBackup = '', recovery = ''] = documentedBlocks();
  await archive(settings);
  const site = await createSite();
  onTestFinished(() => site.remove());
  const platformUrl = await createPlatformDatabase(server.url, 'platform_recovered', 'template0');
  const env = { ...site.env, DATABASE_URL: platformUrl, TENANT_DATABASE_URLS: server.url };

  const app = await startApp({ ...site, env });
  const admin = await createAdmin(app);
  const tenant = await createTenant(app, admin, 'Before the backup');
  const first = await newLicense(tenant);
  run(baseBackup);
  const second = await newLicense(tenant);
  const moment = await readValue('select clock_timestamp()::text');
  // Everything from here on is the mistake.
  expect((await tenant.asOwner('POST', `/licenses/${first.id}/suspend`, {})).status).toBe(200);
  const later = await createTenant(app, admin, 'After the moment');
  const third = await newLicense(tenant);
  expect(await verdictOf(app, tenant, first)).toBe('LICENSE.SUSPENDED');
  await archiveLog();
  await app.close();
  await server.halt('immediate');

  expect(recovery).toContain("recovery_target_time = '2026-11-22 09:30:00+00'");
  const logOf = () => readFileSync(`${folder}/recovered/recovery.log`, 'utf8');
  try {
    run(recovery.replace('2026-11-22 09:30:00+00', moment));
  } catch (cause) {
    throw new Error(`The recovered server did not start: ${logOf()}`, { cause });
  }
  onTestFinished(() => run(`pg_ctl --pgdata=${folder}/recovered --mode=immediate stop`));
  while ((await readValue('select pg_is_in_recovery()')) === 'true') await delay(100);
  expect(logOf()).toMatch(/recovery stopping before commit.*archive recovery complete/s);

  const { stdout } = await licensing(['doctor'], env);
  expect(stdout).toContain('1 of 1 tenant databases open and have the current schema');
  const recovered = await startApp({ ...site, env });
  onTestFinished(() => recovered.close());
  expect(await verdictOf(recovered, tenant, first)).toBe('LICENSE.VALID');
  expect(await verdictOf(recovered, tenant, second)).toBe('LICENSE.VALID');
  expect(await verdictOf(recovered, tenant, third)).toBe('LICENSE.NOT_FOUND');
  const { body } = await recovered.request({ method: 'GET', url: '/api/v1/admin/tenants', headers: admin.auth });
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([tenant.id]);
  expect(later.id).not.toBe(tenant.id);
  // The recovered server accepts changes.
  expect(await verdictOf(recovered, tenant, await newLicense(tenantOn(recovered, tenant)))).toBe('LICENSE.VALID');
});

/** Returns a tenant whose requests go to another app. */
function tenantOn(app: TestApp, tenant: TestTenant): TestTenant {
  const asOwner: TestTenant['asOwner'] = (method, path, payload) =>
    app.request({
      method,
      url: `/api/v1/tenant${path}`,
      headers: tenant.owner.auth,
      ...(payload !== undefined && { payload }),
    });
  return { ...tenant, asOwner };
}
