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
import { defineEntitlements, newLicense } from '../support/licensing-catalog.ts';

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

/** Returns what a change discards: everything, or the values of these licenses. */
async function discardedBy(change: () => Promise<unknown>): Promise<'everything' | readonly string[]> {
  const mark = await reader.read();
  if (mark === undefined) throw new Error('There is no mark.');
  const { changes } = mark;
  await change();
  if ((await reader.read()) !== mark) return 'everything';
  return ['first', 'second'].filter((_name, index) => !mark.isUnchanged(licenses[index]?.id ?? '', changes));
}

const newImport = "insert into imported_resources values ('policy', 'one', 'elsewhere', 'two', 'digest')";
const rename = (license: string) =>
  `update licenses set holder_name = coalesce(holder_name, '') || '+' where id = ${license}`;
const newDevice = (id: string, license: string) =>
  `insert into activations (id, license_id, fingerprint, last_heartbeat_at, metadata_json, created_at)
   values ('${id}', ${license}, '${id}', '2026-01-01', '{}', '2026-01-01')`;

const changes: readonly [string, () => string, 'everything' | readonly string[]][] = [
  ['updates a license', () => `update licenses set status = 'suspended' where id = ${first()}`, ['first']],
  [
    'updates a license together with its last validation',
    () => `update licenses set last_validated_at = '2026-01-01', holder_name = 'Grace' where id = ${first()}`,
    ['first'],
  ],
  ['updates a license twice', () => `begin; ${rename(first())}; ${rename(first())}; commit`, ['first']],
  ['updates two licenses', () => `begin; ${rename(first())}; ${rename(second())}; commit`, ['first', 'second']],
  [
    'updates a license after the last validation of another one',
    () =>
      `begin; update licenses set last_validated_at = '2026-01-02' where id = ${second()};
       update licenses set status = 'active' where id = ${first()}; commit`,
    ['first'],
  ],
  ['adds a device', () => newDevice('device', first()), ['first']],
  ['moves a device', () => `update activations set license_id = ${second()} where id = 'device'`, 'everything'],
  ['removes a device', () => "delete from activations where id = 'device'", ['second']],
  [
    'counts usage, and then counts more',
    () =>
      `insert into usage_totals values (${second()}, 'day', 'today', 'renders', 1)
       on conflict (license_id, interval, period, entitlement_code) do update set quantity = 2;
       update usage_totals set quantity = 3 where license_id = ${second()}`,
    ['second'],
  ],
  [
    'updates a license and something else',
    () => `begin; ${rename(first())}; update settings set timezone = 'Asia/Kathmandu'; commit`,
    'everything',
  ],
  [
    'updates a license in repeatable read',
    () => `begin isolation level repeatable read; ${rename(first())}; commit`,
    'everything',
  ],
  [
    'changes more licenses than the mark lists',
    () =>
      `begin;
       insert into licenses select (jsonb_populate_record(l, jsonb_build_object('id', 'many-' || lpad(n::text, 8, '0'), 'key', 'many-' || n))).*
       from licenses l cross join generate_series(1, 9) n where l.id = ${first()};
       delete from licenses where id like 'many-%'; commit`,
    'everything',
  ],
  ['inserts a row of another table', () => newImport, 'everything'],
  ['has no search path', () => `set search_path = ''; update public.settings set timezone = 'UTC'`, 'everything'],
  ['deletes a row of another table', () => 'delete from imported_resources', 'everything'],
  ['empties a table', () => 'truncate imported_resources', 'everything'],
  ['empties a table of licenses', () => 'truncate usage_totals', 'everything'],
  [
    'updates a row before a savepoint to which it returns',
    () => `begin; ${rename(first())}; savepoint one; ${newImport}; rollback to one; commit`,
    ['first'],
  ],
  [
    'updates a license only before it returns to a savepoint',
    () => `begin; savepoint one; ${rename(first())}; rollback to one; commit`,
    [],
  ],
  ['changes only the last validation', () => `update licenses set last_validated_at = '2026-01-03'`, []],
  ['changes nothing', () => `update licenses set status = status`, []],
  ['changes only unwatched tables', () => 'delete from idempotency_keys; delete from failed_requests', []],
  ['is rolled back', () => "begin; update licenses set status = 'suspended'; rollback", []],
];

test.each(changes)(
  'a transaction that %s discards the values that depend on it',
  async (_what, statement, expected) => {
    expect(await discardedBy(() => run(statement()))).toEqual(expected);
  },
);

test('a node that missed more changes than the mark lists discards everything', async () => {
  const change = async (times: number) => {
    for (let time = 0; time < times; time += 1) await run(rename(time % 2 === 0 ? first() : second()));
  };
  expect(await discardedBy(() => change(7))).toEqual(['first', 'second']);
  expect(await discardedBy(() => change(8))).toBe('everything');
});

test.each([
  ['an older version', "'change mark 5f0c9a52-5a43-4f8a-9f2e-0c9d3f6b7a11'"],
  ['a person', "'the database of Acme'"],
  ['nobody', 'null'],
])('a change after the comment of %s discards everything, and the next one a license', async (_whose, comment) => {
  await run(`comment on database ${databaseName} is ${comment}`);
  expect(await discardedBy(() => run(rename(first())))).toBe('everything');
  expect(await discardedBy(() => run(rename(second())))).toEqual(['second']);
});

test('a node whose server lost changes that it had read discards everything', async () => {
  await run(rename(first()));
  const comment = await currentComment();
  await discardedBy(() => run(rename(first())));
  const lost = async () => {
    // As after a failure of the server that had not written the last commit yet, and another change since.
    await run(`comment on database ${databaseName} is '${comment}'`);
    await run(rename(second()));
  };
  expect(await discardedBy(lost)).toBe('everything');
});

async function currentComment(): Promise<string> {
  const { rows } = await run(
    "select shobj_description(oid, 'pg_database') as comment from pg_database where datname = current_database()",
  );
  return String(rows[0]?.comment);
}

test('no change of concurrent transactions is missing in the marks', async () => {
  const many = await Promise.all(Array.from({ length: 8 }, () => newLicense(suite.tenant)));
  const mark = await reader.read();
  const before = mark?.changes ?? 0;
  const changesOfEach = 10;
  const countedBefore = Number((await currentComment()).split(' ')[3]);
  let isWriting = true;
  const writing = Promise.all(
    many.map(({ id }) =>
      inDatabase(async (client) => {
        for (let time = 0; time < changesOfEach; time += 1) await client.query(rename(`'${id}'`));
      }),
    ),
  ).finally(() => {
    isWriting = false;
  });
  while (isWriting) await reader.read();
  await writing;
  const after = await reader.read();
  // A reader that missed too many changes gets another mark, which discards everything.
  if (after === mark) expect(many.filter(({ id }) => mark?.isUnchanged(id, before))).toEqual([]);
  const counted = Number((await currentComment()).split(' ')[3]);
  expect(counted - countedBefore).toBe(many.length * changesOfEach);
});

test('the change mark is raised when the change can be read, not before', async () => {
  await inDatabase(async (client) => {
    await client.query('begin');
    expect(await discardedBy(() => client.query(rename(first())))).toEqual([]);
    expect(await discardedBy(() => client.query('commit'))).toEqual(['first']);
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
  const update = `set role support_${databaseName}; update licenses set holder_name = 'Ada' where id = ${first()}`;
  expect(await discardedBy(() => run(update))).toEqual(['first']);
  await run(`revoke all on licenses from support_${databaseName}; drop role support_${databaseName}`);
});

test('each database of a server has its own change mark', async () => {
  const other = await createTenant(suite.app, suite.admin);
  const otherReader = new ServerChangeMarks({ url: serverUrl }).join(await databaseNameOf(other));
  const marks = await Promise.all([reader.read(), otherReader.read()]);
  await run("update settings set timezone = 'Asia/Kathmandu'");
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

test('a verdict is not kept if its license changed while it was read', async () => {
  const tenant = await createTenant(suite.app, suite.admin);
  await defineEntitlements(tenant, { renders: 'metered' });
  const metered = await newLicense(tenant, { entitlements: [{ code: 'renders', limit: 10, reset: 'day' }] });
  const other = await newLicense(tenant);
  const validate = ({ key }: { readonly key: string }) => tenant.asApplication(`/licenses/${key}/validate`);
  // Known from now on, so only the mark is read for it: rows are read one after the other.
  await validate(other);
  await withClient(urlOf(await databaseNameOf(tenant)), async (client) => {
    await client.query('begin; lock table usage_totals in access exclusive mode');
    const asked = validate(metered);
    await isBlockedBy(client);
    // The rows of the license have been read; its counters wait for the lock.
    await withClient(urlOf(await databaseNameOf(tenant)), (writer) =>
      writer.query("update licenses set status = 'suspended' where id = $1", [metered.id]),
    );
    expect((await validate(other)).body.data.code).toBe('LICENSE.VALID');
    await client.query('commit');
    expect((await asked).body.data.code).toBe('LICENSE.VALID');
  });
  expect((await validate(metered)).body.data.code).toBe('LICENSE.SUSPENDED');
});

/** Resolves when a statement of another session waits for a lock of this one. */
async function isBlockedBy(client: Client): Promise<void> {
  const waiting = `
    select 1 from pg_stat_activity
    where datname = current_database() and pg_backend_pid() = any(pg_blocking_pids(pid))`;
  for (;;) {
    const { rowCount } = await client.query(waiting);
    if (rowCount !== 0) return;
  }
}
