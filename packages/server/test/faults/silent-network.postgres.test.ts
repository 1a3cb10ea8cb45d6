import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { isUnavailable } from '../../src/db/errors.ts';
import { waitingMax } from '../../src/db/postgres/client.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { type CounterTables, errorOf, incrementSlowly, useCounters, valueIn } from '../db/counters.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const counters = useCounters();
/** A busy machine needs most of a second to open a connection, and must not count as silent. */
const answerTimeoutMs = 3_000;

/** Opens the counters' database through a proxy that a test can disturb. */
async function openBehindNetwork() {
  const { name } = await counters.db.query
    .selectNoFrom(({ fn }) => fn<string>('current_database', []).as('name'))
    .executeTakeFirstOrThrow();
  const proxy = await startTcpProxy(inject('postgresUrl'));
  const url = new URL(proxy.url);
  url.pathname = `/${name}`;
  const db = openPostgres<CounterTables>({ url: url.href, answerTimeoutMs });
  onTestFinished(async () => {
    proxy.set({ kind: 'open' });
    await db.close();
    await proxy.close();
  });
  return { proxy, db };
}

describe('a network that drops all packets while connections appear open', () => {
  test('on a silent network statements and transactions time out as unavailable, and later ones reconnect', async () => {
    const { proxy, db } = await openBehindNetwork();
    await incrementSlowly(db);
    expect(await valueIn(db)).toBe(1);
    proxy.set({ kind: 'silent' });
    const outcomes = await Promise.all([errorOf(valueIn(db)), errorOf(incrementSlowly(db))]);
    for (const error of outcomes) expect(isUnavailable(error)).toBe(true);
    proxy.set({ kind: 'open' });
    await incrementSlowly(db);
    expect(await valueIn(db)).toBe(2);
    // The silent connections are closed.
    await expect.poll(() => proxy.connectionCount).toBeLessThanOrEqual(2);
  });

  test('a network that falls silent during a transaction does not block the next transaction', async () => {
    const { proxy, db } = await openBehindNetwork();
    const startedMs = performance.now();
    const error = await errorOf(
      db.transaction(async (tx) => {
        await tx.updateTable('counters').set({ value: 7 }).execute();
        proxy.set({ kind: 'silent' });
        await tx.updateTable('counters').set({ value: 8 }).execute();
      }),
    );
    expect(isUnavailable(error)).toBe(true);
    // One statement timed out, and no rollback was awaited after it.
    expect(performance.now() - startedMs).toBeLessThan(20_000);
    proxy.reset();
    proxy.set({ kind: 'open' });
    await incrementSlowly(db);
    expect(await valueIn(counters.db)).toBe(1);
  });

  test('on a silent network a bounded number of statements wait, and further ones fail at once', async () => {
    const { proxy, db } = await openBehindNetwork();
    await valueIn(db);
    proxy.set({ kind: 'silent' });
    const pending = Array.from({ length: waitingMax + 10 }, () => errorOf(valueIn(db)));
    const first = await Promise.race(pending.slice(-1));
    expect(String(first)).toContain(`${waitingMax} statements wait`);
    const errors = await Promise.all(pending);
    expect(errors.every((error) => isUnavailable(error))).toBe(true);
    proxy.set({ kind: 'open' });
    expect(await valueIn(db)).toBe(0);
  });
});
