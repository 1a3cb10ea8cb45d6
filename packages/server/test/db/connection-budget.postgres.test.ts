import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { eventually } from '../../../../tools/eventually.ts';
import type { Database } from '../../src/db/database.ts';
import { isUnavailable } from '../../src/db/errors.ts';
import { createTenantDatabase, dropTenantDatabase } from '../../src/db/postgres/admin.ts';
import { type ConnectionBudget, createConnectionBudget } from '../../src/db/postgres/connection-budget.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { newId } from '../../src/lib/ids.ts';
import { type CounterTables, counterById, errorOf } from './counters.ts';

const budgetLimit = 8;
const handleCount = 60;
const databaseCount = 4;
const application = `budget-${newId()}`;

interface TestDatabase {
  readonly url: string;
  readonly name: string;
}

let databases: TestDatabase[] = [];
let budget: ConnectionBudget;
let handles: Database<CounterTables>[] = [];

/** Opens a handle, as each tenant has one. Many share a database here, because creating a database takes long. */
function openHandle(index: number, shared = budget): Database<CounterTables> {
  const url = databases[index % databaseCount]?.url ?? '';
  return openPostgres<CounterTables>({ url, budget: shared, applicationName: application });
}

beforeAll(async () => {
  const serverUrl = inject('postgresUrl');
  databases = await Promise.all(
    Array.from({ length: databaseCount }, async () => {
      const login = { databaseName: `budget_${newId().replaceAll('-', '')}`, password: newId() };
      await createTenantDatabase(serverUrl, login);
      const url = new URL(serverUrl);
      url.username = login.databaseName;
      url.password = login.password;
      url.pathname = `/${login.databaseName}`;
      return { url: url.href, name: login.databaseName };
    }),
  );
  budget = createConnectionBudget({ server: 'the test server', limit: budgetLimit });
  handles = Array.from({ length: handleCount }, (_, index) => openHandle(index));
  for (const db of handles.slice(0, databaseCount)) {
    await sql`create table counters (id text primary key, value bigint not null)`.execute(db.query);
    const rows = Array.from({ length: handleCount }, (_, index) => ({ id: `handle ${index}`, value: 0 }));
    await db.query.insertInto('counters').values(rows).execute();
  }
});

afterAll(async () => {
  await Promise.all(handles.map((db) => db.close()));
  for (const { name } of databases) await dropTenantDatabase(inject('postgresUrl'), name);
});

/** Returns the maximum number of this suite's connections that a superuser sees while `work` runs. */
async function mostConnectionsDuring(work: () => Promise<unknown>): Promise<number> {
  const watcher = new Client({ connectionString: inject('postgresUrl') });
  await watcher.connect();
  let most = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const query = "select count(*)::int as open from pg_stat_activity where application_name = $1 and state <> ''";
      const { rows } = await watcher.query<{ open: number }>(query, [application]);
      most = Math.max(most, rows[0]?.open ?? 0);
      // Without a pause the watcher would use half of a CPU.
      await pause(5);
    }
  })();
  try {
    await work();
  } finally {
    isOver = true;
    await watching;
    await watcher.end();
  }
  return most;
}

async function add(db: Database<CounterTables>, index: number, transact: Database<CounterTables>['transaction']) {
  const id = `handle ${index}`;
  await transact(async (tx) => {
    const row = await tx
      .selectFrom('counters')
      .select('value')
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirstOrThrow();
    await tx
      .updateTable('counters')
      .set({ value: row.value + 1 })
      .where('id', '=', id)
      .execute();
  });
  await db.first(counterById, [id]);
}

const countOf = async (index: number) => (await handles[index]?.first(counterById, [`handle ${index}`]))?.value;

describe('tenants that share the connections to a server', () => {
  test('60 databases share 8 connections for concurrent reads, transactions and bulk transactions', async () => {
    const most = await mostConnectionsDuring(() =>
      Promise.all(
        handles.flatMap((db, index) => [
          db.first(counterById, [`handle ${index}`]),
          add(db, index, (work) => db.transaction(work)),
          add(db, index, (work) => db.transaction(work)),
          db.query.selectFrom('counters').select('id').execute(),
          ...(index % 10 === 0 ? [add(db, index, (work) => db.bulkTransaction(work))] : []),
        ]),
      ),
    );
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(budgetLimit);
    const values = await Promise.all(handles.map((_db, index) => countOf(index)));
    expect(values).toEqual(handles.map((_db, index) => (index % 10 === 0 ? 3 : 2)));
  });

  test('no statement and no transaction is interrupted, however many callers wait', async () => {
    const [slow, slower] = [openHandle(0), openHandle(1)];
    let hasEnded = false;
    const transaction = slower
      .transaction(async (tx) => {
        await sql`select pg_sleep(0.5)`.execute(tx);
        await sql`select pg_sleep(0.5)`.execute(tx);
      })
      .then(() => {
        hasEnded = true;
      });
    const statement = sql<{ slept: string }>`select pg_sleep(0.7)::text as slept`.execute(slow.query);
    await Promise.all(handles.map((db) => db.query.selectFrom('counters').select('id').execute()));
    expect((await statement).rows).toEqual([{ slept: '' }]);
    await transaction;
    expect(hasEnded).toBe(true);
    await Promise.all([slow.close(), slower.close()]);
  });

  test('a waiting database is served although the others are never idle', async () => {
    const few = createConnectionBudget({ server: 'the test server', limit: 2 });
    const busy = [openHandle(0, few), openHandle(1, few)];
    let isOver = false;
    const keepBusy = (db: Database<CounterTables>) => async () => {
      while (!isOver) await db.first(counterById, ['handle 0']);
    };
    // Four concurrent loops, so that the connection is busy at every moment.
    const load = busy.flatMap((db) => Array.from({ length: 4 }, keepBusy(db)));
    const waiting = [openHandle(2, few), openHandle(3, few)];
    const rows = await Promise.all(waiting.map((db) => db.first(counterById, ['handle 0'])));
    isOver = true;
    await Promise.all(load);
    expect(rows.map((row) => typeof row?.value)).toEqual(['number', 'number']);
    await Promise.all([...busy, ...waiting].map((db) => db.close()));
  });

  test('a caller gets an error when all connections are busy for too long, and is served later', async () => {
    const few = createConnectionBudget({ server: 'the test server', limit: 2, waitMs: 100 });
    const [first, second, third] = [openHandle(0, few), openHandle(1, few), openHandle(2, few)];
    const release = Promise.withResolvers<void>();
    const hold = (db: Database<CounterTables>) =>
      db.transaction(async (tx) => {
        await sql`select 1`.execute(tx);
        await release.promise;
      });
    const held = [hold(first), hold(second)];
    await expect.poll(() => few.counts).toEqual({ open: 2, idle: 0, waiting: 0 });
    const error = await errorOf(third.query.selectFrom('counters').select('id').execute());
    expect(isUnavailable(error)).toBe(true);
    expect(String(error)).toContain('TENANT_CONNECTIONS_PER_SERVER');
    release.resolve();
    await Promise.all(held);
    // Closing a connection may take longer than a caller waits here.
    const rows = await eventually(() => third.query.selectFrom('counters').select('id').execute());
    expect(rows).toHaveLength(handleCount);
    await Promise.all([first, second, third].map((db) => db.close()));
  });

  test('idle connections are closed, and the database connects again when it is used', async () => {
    const brief = createConnectionBudget({ server: 'the test server', limit: 4, idleMs: 20 });
    const db = openHandle(0, brief);
    await db.transaction(async (tx) => tx.selectFrom('counters').select('id').execute());
    await db.first(counterById, ['handle 0']);
    await expect.poll(() => brief.counts).toEqual({ open: 0, idle: 0, waiting: 0 });
    expect((await db.first(counterById, ['handle 0']))?.value).toBeTypeOf('number');
    await db.close();
    expect(brief.counts).toEqual({ open: 0, idle: 0, waiting: 0 });
  });
});
