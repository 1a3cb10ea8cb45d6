import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { isUnavailable } from '../../src/db/errors.ts';
import { type CounterTables, errorOf, incrementSlowly, useCounters, valueIn } from './counters.ts';

const counters = useCounters();

describe('a PostgreSQL connection that is ended by the server', () => {
  const endOthers = (database: Database<CounterTables>) =>
    sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity
        where pid <> pg_backend_pid() and datname = current_database()`.execute(database.query);

  test('a statement on an ended connection fails at most as unavailable, and later ones reconnect', async () => {
    await incrementSlowly(counters.db);
    const other = counters.open();
    await endOthers(other);
    const outcomes = await Promise.all([errorOf(valueIn(counters.db)), errorOf(incrementSlowly(counters.db))]);
    for (const error of outcomes) if (error !== undefined) expect(isUnavailable(error)).toBe(true);
    await valueIn(counters.db);
    expect(await errorOf(incrementSlowly(counters.db))).toBeUndefined();
  });

  test('a connection that the server ended inside a transaction is replaced for the next transaction', async () => {
    const other = counters.open();
    const error = await errorOf(
      counters.db.transaction(async (tx) => {
        await tx.updateTable('counters').set({ value: 7 }).execute();
        await endOthers(other);
        await tx.updateTable('counters').set({ value: 8 }).execute();
      }),
    );
    expect(isUnavailable(error)).toBe(true);
    await incrementSlowly(counters.db);
    expect(await valueIn(other)).toBe(1);
  });
});
