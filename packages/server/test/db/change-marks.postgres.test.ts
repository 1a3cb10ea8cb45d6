import { type Kysely, sql } from 'kysely';
import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { TenantDb } from '../../src/db/database.ts';
import { migrateInTransaction } from '../../src/db/migrations/migrate.ts';
import { tenantMigrations } from '../../src/db/migrations/tenant/index.ts';
import { ServerChangeMarks } from '../../src/db/postgres/change-marks.ts';
import type { ChangeMarkReader } from '../../src/db/postgres/client.ts';
import { watchedTenantChanges } from '../../src/tenancy/sqlite-tenant-databases.ts';
import { createTenant, type TestTenant, useTenant } from '../support/accounts.ts';
import { withClient } from '../support/clients.ts';
import { newLicense } from '../support/licensing-catalog.ts';

const suite = useTenant();
const serverUrl = inject('postgresUrl');

let databaseName: string;
let databaseUrl: string;
let reader: ChangeMarkReader;
let licenses: readonly { readonly id: string }[];

async function databaseNameOf(tenant: TestTenant): Promise<string> {
  const rows = suite.app.services.platform.query.selectFrom('tenants').select('database_name');
  return (await rows.where('id', '=', tenant.id).executeTakeFirstOrThrow()).database_name ?? '';
}

function urlOf(database: string): string {
  return Object.assign(new URL(serverUrl), { pathname: `/${database}` }).href;
}

beforeAll(async () => {
  databaseName = await databaseNameOf(suite.tenant);
  databaseUrl = urlOf(databaseName);
  reader = new ServerChangeMarks({ url: serverUrl }).join(databaseName);
  licenses = [await newLicense(suite.tenant), await newLicense(suite.tenant)];
});

afterAll(() => reader.leave());

const inDatabase = <Result>(work: (client: Client) => Promise<Result>) => withClient(databaseUrl, work);
const run = (statement: string) => inDatabase((client) => client.query(statement));
const first = () => `'${licenses[0]?.id}'`;
const second = () => `'${licenses[1]?.id}'`;

/** The tables of the migrations, which no request reads. */
const ledger = "'kysely_migration', 'kysely_migration_lock', 'schema_compatibility'";

test('each table raises the change mark, unless no kept value is read from it', async () => {
  const { rows } = await run(
    `select relname as name, array_agg(tgname::text order by tgname) filter (where not tgisinternal) as triggers
     from pg_class left join pg_trigger on tgrelid = pg_class.oid
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not in (${ledger}) group by relname`,
  );
  const both = ['raise_change_mark', 'raise_change_mark_after_truncation'];
  const unwatched: readonly string[] = watchedTenantChanges.unwatchedTables;
  const expected = rows.map(({ name }) => [name, unwatched.includes(name) ? null : both]);
  expect(rows.map(({ name, triggers }) => [name, triggers])).toEqual(expected);
  expect(rows.length).toBeGreaterThan(unwatched.length);
});

const newImport = "insert into imported_resources values ('policy', 'one', 'elsewhere', 'two', 'digest')";
const raising: readonly [string, () => string][] = [
  ['updates a row', () => `update licenses set status = 'suspended' where id = ${first()}`],
  [
    'updates a row together with its last validation',
    () => `update licenses set last_validated_at = '2026-01-01', holder_name = 'Grace' where id = ${first()}`,
  ],
  ['inserts a row', () => newImport],
  ['has no search path', () => `set search_path = ''; update public.settings set timezone = 'UTC'`],
  ['deletes a row', () => 'delete from imported_resources'],
  ['empties a table', () => 'truncate imported_resources'],
  [
    'updates a row after the last validation of another one',
    () =>
      `begin; update licenses set last_validated_at = '2026-01-02' where id = ${first()};
       update licenses set status = 'active' where id = ${first()}; commit`,
  ],
  [
    'updates a row before a savepoint to which it returns',
    () => `begin; update settings set timezone = 'UTC'; savepoint one; ${newImport}; rollback to one; commit`,
  ],
];

test.each(raising)('a transaction that %s raises the change mark', async (_what, statement) => {
  const before = await reader.read();
  expect(before).toBeDefined();
  await run(statement());
  expect(await reader.read()).not.toBe(before);
});

const leaving: readonly [string, () => string][] = [
  ['changes only the last validation', () => `update licenses set last_validated_at = '2026-01-03'`],
  ['changes nothing', () => `update licenses set status = status`],
  ['changes only unwatched tables', () => 'delete from idempotency_keys; delete from failed_requests'],
  ['is rolled back', () => "begin; update licenses set status = 'suspended'; rollback"],
];

test.each(leaving)('a transaction that %s leaves the change mark', async (_what, statement) => {
  const before = await reader.read();
  await run(statement());
  expect(await reader.read()).toBe(before);
});

test('the change mark is raised when the change can be read, not before', async () => {
  await inDatabase(async (client) => {
    const before = await reader.read();
    await client.query(`begin; update licenses set status = 'suspended' where id = ${first()}`);
    expect(await reader.read()).toBe(before);
    await client.query('commit');
    expect(await reader.read()).not.toBe(before);
  });
});

test('a check for migrations that finds none leaves the change mark', async () => {
  const before = await reader.read();
  const check = (db: TenantDb) => db.transaction((tx) => migrateInTransaction(tx, tenantMigrations));
  const { applied } = await suite.app.services.tenants.withTenantDb(suite.tenant.id, check);
  expect(applied).toEqual([]);
  expect(await reader.read()).toBe(before);
});

test('a migration may change rows and then their table, and raises the change mark', async () => {
  const tenant = await createTenant(suite.app, suite.admin);
  const ofTenant = new ServerChangeMarks({ url: serverUrl }).join(await databaseNameOf(tenant));
  const before = await ofTenant.read();
  const up = async (db: Kysely<unknown>) => {
    await sql`update settings set timezone = 'Asia/Kathmandu'`.execute(db);
    await sql`alter table settings add column more text`.execute(db);
  };
  const migrations = { ...tenantMigrations, '9999-more': { up } };
  const migrate = (db: TenantDb) => db.transaction((tx) => migrateInTransaction(tx, migrations));
  const { applied } = await suite.app.services.tenants.withTenantDb(tenant.id, migrate);
  expect(applied).toEqual(['9999-more']);
  expect((await ofTenant.read()) === before).toBe(false);
  await ofTenant.leave();
});

test('a transaction that has changed a row does not delay the commit of another one', async () => {
  await inDatabase(async (client) => {
    await client.query(`begin; update licenses set status = 'active' where id = ${first()}`);
    await run(`set lock_timeout = '5s'; update licenses set status = 'active' where id = ${second()}`);
    await client.query('commit');
  });
});

test('a change by a role that does not own the database raises the change mark', async () => {
  await run(`drop role if exists support_${databaseName}; create role support_${databaseName}`);
  await run(`grant select, update on licenses to support_${databaseName}`);
  const before = await reader.read();
  await run(`set role support_${databaseName}; update licenses set holder_name = 'Ada' where id = ${first()}`);
  expect(await reader.read()).not.toBe(before);
  await run(`revoke all on licenses from support_${databaseName}; drop role support_${databaseName}`);
});

test('each database of a server has its own change mark', async () => {
  const other = await createTenant(suite.app, suite.admin);
  const otherReader = new ServerChangeMarks({ url: serverUrl }).join(await databaseNameOf(other));
  const marks = await Promise.all([reader.read(), otherReader.read()]);
  await run(`update licenses set holder_name = 'Katherine' where id = ${first()}`);
  expect((await reader.read()) === marks[0]).toBe(false);
  expect((await otherReader.read()) === marks[1]).toBe(true);
  await otherReader.leave();
});

describe('a change mark that cannot be read', () => {
  test.each([
    ['the server refuses connections', 'postgres://nobody@127.0.0.1:1/none', () => databaseName],
    ['there is no such database', serverUrl, () => 'tenant_of_nobody'],
  ])('is undefined when %s', async (_why, url, name) => {
    const unknown = new ServerChangeMarks({ url }).join(name());
    expect([await unknown.read(), await unknown.read()]).toEqual([undefined, undefined]);
    await unknown.leave();
  });

  test('is reported', async () => {
    const errors: unknown[] = [];
    const marks = new ServerChangeMarks({ url: 'postgres://nobody@127.0.0.1:1/none' }, (error) => errors.push(error));
    const unknown = marks.join(databaseName);
    expect([await unknown.read(), await unknown.read()]).toEqual([undefined, undefined]);
    expect(errors.map(String)).toEqual([expect.stringContaining('127.0.0.1:1')]);
    await unknown.leave();
  });
});

test('a known verdict needs no connection to the database of the tenant, and a change of it does', async () => {
  const tenant = await createTenant(suite.app, suite.admin);
  const [known, unknown] = [await newLicense(tenant), await newLicense(tenant)];
  const validate = ({ key }: { readonly key: string }) => tenant.asApplication(`/licenses/${key}/validate`);
  for (let time = 0; time < 2; time += 1) expect((await validate(known)).body.data.code).toBe('LICENSE.VALID');
  const name = await databaseNameOf(tenant);
  await withClient(serverUrl, async (client) => {
    await client.query(`alter database ${name} allow_connections false`);
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    expect((await validate(known)).body.data.code).toBe('LICENSE.VALID');
    expect((await validate(unknown)).status).toBe(503);
    await client.query(`comment on database ${name} is 'changed'`);
    expect((await validate(known)).status).toBe(503);
    await client.query(`alter database ${name} allow_connections true`);
  });
  expect((await validate(known)).body.data.code).toBe('LICENSE.VALID');
});
