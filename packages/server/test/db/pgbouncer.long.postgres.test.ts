import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openPostgresSnapshot } from '../../src/db/archive/postgres-rows.ts';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { tenantMigrations } from '../../src/db/migrations/tenant/index.ts';
import { createTenantDatabase, dropTenantDatabase } from '../../src/db/postgres/admin.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import type { TenantTables } from '../../src/db/tables/tenant-tables.ts';
import { newId } from '../../src/lib/ids.ts';
import { licensing } from '../commands/licensing.ts';
import { csv, sendFile } from '../licensing/license-files.ts';
import { createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { createSite, startApp, stopApp, type TestApp, type TestSite } from '../support/harness.ts';
import { created, newPolicy } from '../support/licensing-catalog.ts';
import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { errorOf } from './counters.ts';

let pooler: PgBouncer;
let site: TestSite;
let app: TestApp;
let tenants: readonly TestTenant[] = [];

beforeAll(async () => {
  pooler = await startPgBouncer(inject('postgresUrl'));
  site = await createSite();
  app = await startApp(site, { DATABASE_URL: pooler.through(site.env['DATABASE_URL'] ?? '') });
  const admin = await createAdmin(app);
  tenants = [await createTenant(app, admin, 'Acme'), await createTenant(app, admin, 'Umbrella')];
});

afterAll(async () => {
  await stopApp(app);
  await pooler.stop();
  await site.remove();
});

const inEach = <Result>(work: (tenant: TestTenant) => Promise<Result>) => Promise.all(tenants.map(work));

async function activatedLicense(tenant: TestTenant, policyId: string): Promise<string> {
  const { key } = created(await tenant.asOwner('POST', '/licenses', { policy_id: policyId }));
  created(await tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: 'machine' }));
  return key;
}

describe('behind PgBouncer, where each transaction may have a different session', () => {
  test('a URL without pooling=transaction is refused behind PgBouncer, and the error names the parameter', async () => {
    const url = new URL(pooler.through(inject('postgresUrl')));
    url.searchParams.delete('pooling');
    const direct = openPostgres<object>({ url: url.href });
    expect(String(await errorOf(sql`select 1`.execute(direct.query)))).toContain('add pooling=transaction');
    await direct.close();
  });

  test('licenses are issued, activated and validated concurrently behind PgBouncer', async () => {
    const valid = await inEach(async (tenant) => {
      const { id } = await newPolicy(tenant, { code: newId(), require_activation: true });
      const keys = await Promise.all(Array.from({ length: 10 }, () => activatedLicense(tenant, id)));
      const validated = [...keys, ...keys, ...keys];
      const verdicts = await Promise.all(
        validated.map((key) => tenant.asApplication(`/licenses/${key}/validate`, { fingerprint: 'machine' })),
      );
      return verdicts.map(({ body }) => body.data?.valid);
    });
    expect(valid.flat()).toEqual(Array(60).fill(true));
  });

  test('a refused activation behind PgBouncer leaves nothing behind, and concurrent ones succeed', async () => {
    await inEach(async (tenant) => {
      const { id } = await newPolicy(tenant, { code: newId(), max_activations: 3 });
      const { key } = created(await tenant.asOwner('POST', '/licenses', { policy_id: id }));
      const responses = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: `machine ${index}` }),
        ),
      );
      expect(responses.filter(({ status }) => status === 201)).toHaveLength(3);
    });
  });

  test('two concurrent imports of a tenant both succeed behind PgBouncer', async () => {
    await inEach(async (tenant) => {
      const { code } = await newPolicy(tenant, { code: newId() });
      const file = csv('policy', ...Array<string>(50).fill(code));
      const responses = await Promise.all([sendFile(app, tenant, file), sendFile(app, tenant, file)]);
      expect(responses.map(({ status, text }) => (status < 300 ? 'imported' : text))).toEqual(['imported', 'imported']);
    });
  });

  test('concurrent migrations of several nodes run once behind PgBouncer, and a snapshot can be read', async () => {
    const serverUrl = pooler.through(inject('postgresUrl'));
    const login = { databaseName: `pooled_${newId().replaceAll('-', '')}`, password: newId() };
    await createTenantDatabase(serverUrl, login);
    const url = new URL(serverUrl);
    url.username = login.databaseName;
    url.password = login.password;
    url.pathname = `/${login.databaseName}`;
    const nodes = [1, 2, 3].map(() => openPostgres<TenantTables>({ url: url.href }));
    const outcomes = await Promise.all(nodes.map((db) => migrate(db, tenantMigrations)));
    const applied = outcomes.map((outcome) => outcome.applied.length).sort((left, right) => left - right);
    expect(applied).toEqual([0, 0, Object.keys(tenantMigrations).length]);
    await Promise.all(nodes.map((db) => db.close()));
    const snapshot = await openPostgresSnapshot(url.href);
    expect(await snapshot.count({ from: 'kysely_migration' })).toBe(applied.at(-1));
    await snapshot.close();
    await dropTenantDatabase(serverUrl, login.databaseName);
  });

  test('the export, the import and the doctor command work behind PgBouncer', async () => {
    const [tenant] = tenants;
    const env = { ...site.env, DATABASE_URL: app.config.databaseUrl ?? '' };
    const file = join(site.dataDir, 'tenant.ndjson.gz');
    expect(await licensing(['tenants', 'export', tenant?.id ?? '', '--to', file], env)).toMatchObject({ code: 0 });
    expect(await licensing(['tenants', 'import', file, '--replace'], env)).toMatchObject({ code: 0 });
    const { stdout, code } = await licensing(['doctor'], env);
    expect([code, stdout]).toEqual([0, expect.stringContaining('2 of 2 tenant databases open')]);
    expect((await tenant?.asOwner('GET', '/licenses'))?.status).toBe(200);
  });

  test("the timeouts are set behind PgBouncer in transactions and in a tenant's single statements", async () => {
    const read = sql<{ name: string; setting: string }>`
      select name, setting from pg_settings
      where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') order by name`;
    const limits = ['30000', '10000', '15000'];
    const settings = (rows: readonly { setting: string }[]) => rows.map(({ setting }) => setting);
    const platform = await app.services.platform.transaction((tx) => read.execute(tx));
    expect(settings(platform.rows)).toEqual(limits);
    const ofTenant = await app.services.tenants.withTenantDb(tenants[0]?.id ?? '', (db) => read.execute(db.query));
    expect(settings(ofTenant.rows)).toEqual(limits);
  });
});
