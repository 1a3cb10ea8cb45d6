import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createMigrationThreads } from '../../../src/commands/migrate/migration-threads.ts';
import { migrateTenants } from '../../../src/commands/migrate.ts';
import { DatabaseUnavailableError } from '../../../src/db/errors.ts';
import { newId } from '../../../src/lib/ids.ts';
import { openTenantDatabases } from '../../../src/tenancy/open-tenant-databases.ts';
import { tenantFile } from '../../../src/tenancy/placement.ts';
import { licensing } from '../../commands/licensing.ts';
import { type Account, createAdmin, createTenant, type TestTenant } from '../../support/accounts.ts';
import { createSite, engine, startApp, stopApp, type TestApp, type TestSite } from '../../support/harness.ts';
import { afterNext, failing, failsForCode, next, present, type Version } from './versions.ts';

let site: TestSite;
let node: TestApp;
let admin: Account;
let tenants: TestTenant[];

beforeAll(async () => {
  site = await createSite();
  node = await startApp(site, {}, present);
  admin = await createAdmin(node);
  tenants = [];
  for (const name of ['First', 'Second', 'Third', 'Fourth']) tenants.push(await createTenant(node, admin, name));
});
afterAll(async () => {
  await stopApp(node);
  await site.remove();
});

interface Run {
  readonly isDone: boolean;
  readonly lines: readonly string[];
  readonly notes: readonly string[];
}

interface RunOptions {
  readonly json?: boolean;
  /** Called for each tenant before it is migrated. */
  readonly before?: (tenantId: string) => void;
  readonly signal?: AbortSignal;
}

/** Runs `licensing migrate` of a version of the program. */
async function migrateBy(
  { tenant: tenantMigrations }: Version,
  { json = false, before, signal = new AbortController().signal }: RunOptions = {},
): Promise<Run> {
  const lines: string[] = [];
  const notes: string[] = [];
  const databases = openTenantDatabases(node.config, { ...node.services, tenantMigrations });
  const isDone = await migrateTenants(node.services, {
    databases: {
      migrate(placement) {
        before?.(placement.id);
        return databases.migrate(placement);
      },
    },
    terminal: {
      env: {},
      stdin: process.stdin,
      isInteractive: false,
      progress: () => undefined,
      print: (line) => void lines.push(line),
      note: (line) => void notes.push(line),
    },
    json,
    signal,
    parallelism: 2,
  });
  return { isDone, lines, notes };
}

async function reportOf(version: Version, options: RunOptions = {}) {
  const { isDone, lines } = await migrateBy(version, { ...options, json: true });
  return { isDone, ...JSON.parse(lines.join('\n')) };
}

const noOutcomes = { migrated: 0, current: 0, newer: 0, ahead: 0, failed: 0, unreachable: 0, left: 0 };
const idOf = (index: number) => tenants[index]?.id ?? '';
/** The status of a request that reads from the tenant's database. */
const serves = async (tenant: TestTenant | undefined) => (await tenant?.asOwner('GET', '/products'))?.status;

test('the command reports every tenant as JSON on request, and refuses a parallelism of 65', async () => {
  const { code, stdout } = await licensing(['migrate', '--json', '--parallelism', '8'], site.env);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { ...noOutcomes, tenants: 4, current: 4, failures: [] }]);
  expect(await licensing(['migrate', '--parallelism', '65'], site.env)).toMatchObject({ code: 2 });
});

test('no other tenant is migrated if the migration of the first one fails', async () => {
  await tenants[0]?.asOwner('POST', '/products', { code: failsForCode, name: 'Legacy' });
  const started: string[] = [];
  const { isDone, lines, notes } = await migrateBy(failing, { before: (id) => started.push(id) });
  expect(isDone).toBe(false);
  expect(started).toEqual([idOf(0)]);
  expect(lines).toEqual([expect.stringMatching(new RegExp(`^${idOf(0)}  .*(UNIQUE|unique)`))]);
  expect(notes.join('\n')).toContain('0 of 4 tenants have a current schema: 1 failed, 3 left');
  expect(await serves(tenants[0])).toBe(200);
});

test('an interrupted run finishes its current tenant, and a second run migrates the rest', async () => {
  const controller = new AbortController();
  const interrupted = await reportOf(next, {
    signal: controller.signal,
    before: () => controller.abort(),
  });
  expect(interrupted).toMatchObject({ isDone: false, ...noOutcomes, migrated: 1, left: 3 });
  for (const tenant of tenants) expect(await serves(tenant)).toBe(200);
  expect(await reportOf(next)).toMatchObject({ isDone: true, ...noOutcomes, current: 1, migrated: 3 });
  expect(await reportOf(next)).toMatchObject({ isDone: true, ...noOutcomes, current: 4 });
  for (const tenant of tenants) expect(await serves(tenant)).toBe(200);
});

test('the former version reports migrated tenants as newer and changes nothing', async () => {
  expect(await reportOf(present)).toMatchObject({ isDone: true, ...noOutcomes, newer: 4 });
});

test('tenants with a missing or damaged database are reported, and all others are migrated', async () => {
  const { platform } = node.services;
  const broken = [newId(), newId()].sort();
  const copied = await platform.query
    .selectFrom('tenants')
    .selectAll()
    .where('id', '=', idOf(0))
    .executeTakeFirstOrThrow();
  for (const id of broken) {
    const database_name = engine === 'postgres' ? `tenant_${id.replaceAll('-', '')}` : null;
    await platform.query
      .insertInto('tenants')
      .values({ ...copied, id, name: 'Broken', database_name })
      .execute();
  }
  const damaged = tenantFile(site.dataDir, broken[1] ?? '');
  if (engine === 'sqlite') {
    await mkdir(dirname(damaged), { recursive: true });
    await writeFile(damaged, 'This is not a database, but long enough to be read as one. '.repeat(100));
  }
  const report = await reportOf(afterNext);
  expect(report).toMatchObject({ isDone: false, ...noOutcomes, migrated: 4, unreachable: 2 });
  expect(report.failures.map((failure: { tenant_id: string }) => failure.tenant_id).sort()).toEqual(broken);
  for (const { reason } of report.failures) expect(reason).toMatch(/^The (PostgreSQL )?database .+\.$/);
  await rm(damaged, { force: true });
  await platform.query.deleteFrom('tenants').where('id', 'in', broken).execute();
});

test('a version that may not use the migrated databases stops at the first tenant with an explanation', async () => {
  const { isDone, lines } = await migrateBy(present);
  expect(isDone).toBe(false);
  expect(lines).toEqual([expect.stringContaining('was migrated by a newer version of this program')]);
});

test.runIf(engine === 'sqlite')(
  'migration threads migrate files as the process itself does, and report failures',
  async () => {
    const added = await createTenant(node, admin, 'Created later');
    const { href } = new URL('./next-tenant-migrations.ts', import.meta.url);
    const threads = createMigrationThreads({
      dataDir: site.dataDir,
      appKey: String(site.env['APP_KEY']),
      previousAppKeys: [],
      migrationsModule: href,
    });
    onTestFinished(() => threads.close());
    const migrateOne = (id: string) =>
      threads.migrate({ id, placement: 'embedded', database_name: null, database_secret: null });
    const ofNewTenant = [migrateOne(added.id), migrateOne(added.id)];
    const states = (await Promise.all(ofNewTenant)).map(({ state }) => state);
    expect(states.sort()).toEqual(['current', 'migrated']);
    expect(await migrateOne(idOf(0))).toEqual({ state: 'newer', applied: [] });
    await expect(migrateOne(newId())).rejects.toThrow(DatabaseUnavailableError);
    expect(await serves(added)).toBe(200);
  },
);
