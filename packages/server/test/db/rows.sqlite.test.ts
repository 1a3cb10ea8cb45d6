import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { PreparedRead } from '../../src/db/database.ts';
import { type CounterTables, useCounters } from './counters.ts';

const counters = useCounters();

const first: PreparedRead<CounterTables, object> = {
  name: 'first_counter',
  build: (db, parameter) => db.selectFrom('counters').selectAll().where('id', '=', parameter(0)),
};

test('rows have the right columns after another process has added some before and behind those in use', async () => {
  const { db } = counters;
  const all = () => db.query.selectFrom('counters').selectAll().where('id', '=', 'a').execute();
  const before = { id: 'a', value: 0 };
  expect([await db.first(first, ['a']), ...(await all())]).toEqual([before, before]);
  const other = counters.open();
  await sql`create table wider (added_first text default 'x', id text primary key, value integer, added_last text)`.execute(
    other.query,
  );
  await other.transaction(async (tx) => {
    await sql`insert into wider (id, value) select id, value + 1 from counters`.execute(tx);
    await sql`drop table counters`.execute(tx);
    await sql`alter table wider rename to counters`.execute(tx);
  });
  const after = { added_first: 'x', id: 'a', value: 1, added_last: null };
  expect([await db.first(first, ['a']), ...(await all())]).toEqual([after, after]);
});
