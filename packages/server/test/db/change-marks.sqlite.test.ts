import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { openSqlite } from '../../src/db/sqlite/sqlite.ts';
import type { WatchedChanges } from '../../src/db/sqlite/watched-changes.ts';
import { watchedTenantChanges } from '../../src/tenancy/sqlite-tenant-databases.ts';
import { useTenant } from '../support/accounts.ts';
import { createSite, type TestSite } from '../support/harness.ts';

interface Tables {
  licenses: { id: string; holder: string; seen_at: string | null };
  devices: { id: string; license_id: string; name: string };
  plans: { id: string; name: string };
  logs: { text: string };
}

const watched: WatchedChanges<Tables> = {
  unwatchedTables: ['logs'],
  unwatchedColumns: ['licenses.seen_at'],
  licenseColumns: { licenses: 'id', devices: 'license_id' },
};

let site: TestSite;
let file: string;
let db: Database<Tables>;

beforeEach(async () => {
  site = await createSite('sqlite');
  file = join(site.dataDir, 'tenant.db');
  const database = new DatabaseSync(file);
  database.exec(`
    create table licenses (id text primary key, holder text not null, seen_at text);
    create table devices (
      id text primary key, license_id text not null references licenses (id) on delete cascade, name text not null);
    create table plans (id text primary key, name text not null);
    create table logs (text text not null);
    insert into licenses values ('first', 'Ada', null), ('second', 'Grace', null), ('third', 'Mary', null);
    insert into devices values ('one', 'first', 'laptop'), ('two', 'second', 'desktop');
    insert into plans values ('yearly', 'Yearly')`);
  database.close();
  db = openSqlite<Tables>(file, { watched });
});

afterEach(async () => {
  await db.close();
  await site.remove();
});

/** Returns what a change discards: everything, or the values of these licenses. */
async function discardedBy(change: () => unknown): Promise<'everything' | readonly string[]> {
  const mark = await db.changeMark();
  if (mark === undefined) throw new Error('There is no mark.');
  const { changes } = mark;
  await change();
  if ((await db.changeMark()) !== mark) return 'everything';
  return ['first', 'second', 'third'].filter((id) => !mark.isUnchanged(id, changes));
}

type Change = (query: Kysely<Tables>) => Promise<unknown>;

const renameHolder =
  (holder: string): Change =>
  (query) =>
    query.updateTable('licenses').set({ holder }).where('id', '=', 'first').execute();
const renamePlan: Change = (query) => query.updateTable('plans').set({ name: 'Annual' }).execute();

const changes: readonly [string, Change, 'everything' | readonly string[]][] = [
  ['an update of one license', renameHolder('Katherine'), ['first']],
  [
    'an update of one of its columns together with an unwatched one',
    (query) => query.updateTable('licenses').set({ holder: 'Ada', seen_at: 'now' }).where('id', '=', 'first').execute(),
    ['first'],
  ],
  ['an update of an unwatched column', (query) => query.updateTable('licenses').set({ seen_at: 'now' }).execute(), []],
  ['an update that finds no row', (query) => query.deleteFrom('licenses').where('id', '=', 'none').execute(), []],
  [
    'an update of all devices',
    (query) => query.updateTable('devices').set({ name: 'x' }).execute(),
    ['first', 'second'],
  ],
  [
    'a device that moves to another license',
    (query) => query.updateTable('devices').set({ license_id: 'third' }).where('id', '=', 'one').execute(),
    ['first', 'third'],
  ],
  [
    'a new device',
    (query) => query.insertInto('devices').values({ id: 'three', license_id: 'third', name: 'phone' }).execute(),
    ['third'],
  ],
  [
    'an insert that becomes an update',
    (query) =>
      query
        .insertInto('devices')
        .values({ id: 'one', license_id: 'first', name: 'phone' })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ name: 'phone' }))
        .execute(),
    ['first'],
  ],
  [
    'a statement that returns its rows',
    (query) => query.deleteFrom('devices').where('id', '=', 'two').returning('id').execute(),
    ['second'],
  ],
  [
    'a deletion that takes other rows with it',
    (query) => query.deleteFrom('licenses').where('id', '=', 'second').execute(),
    ['second'],
  ],
  ['a change of a table without licenses', renamePlan, 'everything'],
  ['a change of an unwatched table', (query) => query.insertInto('logs').values({ text: 'x' }).execute(), []],
  [
    'raw SQL, whatever it changes',
    (query) => sql`update devices set name = 'x' where id = 'one'`.execute(query),
    'everything',
  ],
  [
    'a statement with a WITH clause',
    (query) =>
      query
        .with('chosen', (chosen) => chosen.selectFrom('licenses').select('id').where('id', '=', 'first'))
        .deleteFrom('devices')
        .where('license_id', 'in', (chosen) => chosen.selectFrom('chosen').select('chosen.id'))
        .execute(),
    'everything',
  ],
];

test.each(changes)('%s discards the values that depend on it', async (_what, change, expected) => {
  expect(await discardedBy(() => change(db.query))).toEqual(expected);
});

test.each(changes)('%s in a transaction discards the same', async (_what, change, expected) => {
  expect(await discardedBy(() => db.transaction((tx) => change(tx)))).toEqual(expected);
});

test.each([
  ['renames a holder', renameHolder('Mary'), ['first']],
  ['renames a plan', renamePlan, 'everything'],
] as const)('a rollback of a transaction that %s discards at least as much', async (_what, change, expected) => {
  const failing = async () => {
    const work = db.transaction(async (tx) => {
      await change(tx);
      throw new Error('changed its mind');
    });
    await expect(work).rejects.toThrow('changed its mind');
  };
  expect(await discardedBy(failing)).toEqual(expected);
});

test('a change that is not committed yet discards the values of its license, and of no other', async () => {
  const mark = await db.changeMark();
  await db.transaction(async (tx) => {
    await renameHolder('Katherine')(tx);
    expect(await db.changeMark()).toBe(mark);
    expect([mark?.isUnchanged('first', 0), mark?.isUnchanged('second', 0)]).toEqual([false, true]);
  });
});

test('a value that was read after a change stays valid until the next one', async () => {
  const mark = await db.changeMark();
  await renameHolder('Katherine')(db.query);
  const changesBeforeRead = mark?.changes ?? 0;
  await db.query.updateTable('devices').set({ name: 'x' }).where('id', '=', 'two').execute();
  expect(mark?.isUnchanged('first', changesBeforeRead)).toBe(true);
  expect(mark?.isUnchanged('second', changesBeforeRead)).toBe(false);
});

test.each([
  ['another connection of this process', () => withOther("update devices set name = 'x' where id = 'one'")],
  ['a bulk transaction', () => db.bulkTransaction((tx) => renameHolder('Katherine')(tx))],
  ['a change of the schema', () => withOther('create table more (id text)')],
] as const)('a commit by %s discards everything', async (_who, change) => {
  expect(await discardedBy(change)).toBe('everything');
});

function withOther(statement: string): void {
  const other = new DatabaseSync(file);
  other.exec(statement);
  other.close();
}

test('there is no mark while the first transaction is open, because its rollback could remove the triggers', async () => {
  await db.transaction(async (tx) => {
    await renameHolder('Katherine')(tx);
    expect(await db.changeMark()).toBeUndefined();
  });
  expect(await discardedBy(() => renameHolder('Mary')(db.query))).toEqual(['first']);
});

test('a table that was replaced has no triggers, so its changes discard everything', async () => {
  await db.changeMark();
  await sql`drop table devices`.execute(db.query);
  await sql`create table devices (id text primary key, license_id text not null, name text not null)`.execute(db.query);
  const insert = () => db.query.insertInto('devices').values({ id: 'x', license_id: 'first', name: 'x' }).execute();
  expect(await discardedBy(insert)).toBe('everything');
});

test('a mark that has recorded ten thousand licenses is replaced', async () => {
  const insert = async (from: number, to: number) => {
    const rows = Array.from({ length: to - from }, (_, index) => ({
      id: `${from + index}`,
      holder: 'x',
      seen_at: null,
    }));
    for (let start = 0; start < rows.length; start += 1000)
      await db.query
        .insertInto('licenses')
        .values(rows.slice(start, start + 1000))
        .execute();
  };
  expect(await discardedBy(() => insert(0, 9_999))).toEqual([]);
  expect(await discardedBy(() => insert(9_999, 10_000))).toBe('everything');
});

const suite = useTenant();

test('a change of a tenant table discards everything, unless the table is unwatched or belongs to licenses', async () => {
  await suite.app.services.tenants.withTenantDb(suite.tenant.id, async (tenantDb) => {
    const tables = await sql<{ name: string }>`
      select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`.execute(tenantDb.query);
    const untyped = tenantDb.query as unknown as Kysely<Record<string, object>>;
    const named = new Set<string>([
      ...watchedTenantChanges.unwatchedTables,
      ...Object.keys(watchedTenantChanges.licenseColumns ?? {}),
    ]);
    for (const { name } of tables.rows) {
      const mark = await tenantDb.changeMark();
      expect(mark).toBeDefined();
      await untyped.deleteFrom(name).where(sql.lit(0), '=', 1).execute();
      expect((await tenantDb.changeMark()) === mark, name).toBe(named.has(name));
    }
  });
});
