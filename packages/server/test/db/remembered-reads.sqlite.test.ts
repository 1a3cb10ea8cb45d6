import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database, PreparedRead } from '../../src/db/database.ts';
import { openSqlite } from '../../src/db/sqlite/sqlite.ts';

interface Tables {
  keys: { id: string; status: string };
}

const keyById: PreparedRead<Tables, Tables['keys']> = {
  name: 'remembered-key-by-id',
  build: (db, parameter) => db.selectFrom('keys').selectAll().where('id', '=', parameter(0)),
};

let folder: string;
let own: Database<Tables>;
let other: Database<Tables>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'licensing-remembered-'));
  const path = join(folder, 'test.db');
  own = openSqlite<Tables>(path, { create: true, rememberReads: true });
  other = openSqlite<Tables>(path, { rememberReads: true });
  await own.query.schema.createTable('keys').addColumn('id', 'text').addColumn('status', 'text').execute();
});

afterEach(async () => {
  await Promise.all([own.close(), other.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const statusOf = async (db: Database<Tables>, id: string) => (await db.first(keyById, [id]))?.status;
const write = (db: Database<Tables>, id: string, status: string) =>
  db.query.updateTable('keys').set({ status }).where('id', '=', id).execute();

test.each(['its own connection', 'another connection'])('a change by %s is visible to the next read', async (who) => {
  await own.query.insertInto('keys').values({ id: 'a', status: 'active' }).execute();
  expect(await statusOf(own, 'a')).toBe('active');
  expect(await own.first(keyById, ['a'])).toBe(await own.first(keyById, ['a']));
  await write(who === 'another connection' ? other : own, 'a', 'revoked');
  expect(await statusOf(own, 'a')).toBe('revoked');
});

test('reads show the changes of a transaction when it commits, and not when it is rolled back', async () => {
  await own.query.insertInto('keys').values({ id: 'a', status: 'active' }).execute();
  await expect(
    own.transaction(async (tx) => {
      await tx.updateTable('keys').set({ status: 'revoked' }).execute();
      throw new Error('changed its mind');
    }),
  ).rejects.toThrow('changed its mind');
  expect(await statusOf(own, 'a')).toBe('active');
  await own.transaction((tx) => tx.updateTable('keys').set({ status: 'revoked' }).execute());
  expect(await statusOf(own, 'a')).toBe('revoked');
});

test('a missing row is read again each time', async () => {
  expect(await statusOf(own, 'a')).toBeUndefined();
  await other.query.insertInto('keys').values({ id: 'a', status: 'active' }).execute();
  expect(await statusOf(own, 'a')).toBe('active');
});

test('reads on two connections always return the last written value, for any order of reads and writes', async () => {
  const ids = ['a', 'b', 'c'];
  const step = fc.record({
    action: fc.constantFrom('read', 'read', 'write', 'transaction', 'delete'),
    by: fc.constantFrom('own', 'other'),
    id: fc.constantFrom(...ids),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      await own.query.deleteFrom('keys').execute();
      const expected = new Map<string, string>();
      for (const [index, { action, by, id }] of steps.entries()) {
        const db = by === 'own' ? own : other;
        if (action === 'read') {
          expect(await statusOf(db, id)).toBe(expected.get(id));
          continue;
        }
        await db.transaction(async (tx) => {
          await tx.deleteFrom('keys').where('id', '=', id).execute();
          if (action === 'transaction') return;
          if (action === 'write')
            await tx
              .insertInto('keys')
              .values({ id, status: `${index}` })
              .execute();
        });
        if (action === 'write') expected.set(id, `${index}`);
        else expected.delete(id);
      }
    }),
    { numRuns: 60 },
  );
});
