import { DummyDriver, Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { dialectOf } from './connection.ts';
import { assertWatched, isUnwatched, type UnwatchedChanges } from './unwatched-changes.ts';

interface Tables {
  counted: { id: string; name: string; seen_at: string };
  logs: { id: string };
}

const db = new Kysely<Tables>({ dialect: dialectOf(new DummyDriver()) });
const unwatched: UnwatchedChanges<Tables> = { tables: ['logs'], columns: ['counted.seen_at'] };

const statements = [
  ['an insert into an unwatched table', true, db.insertInto('logs').values({ id: '1' }).compile()],
  ['an update of an unwatched table', true, db.updateTable('logs').set({ id: '1' }).compile()],
  ['a deletion from an unwatched table', true, db.deleteFrom('logs').compile()],
  ['an update of only an unwatched column', true, db.updateTable('counted').set({ seen_at: '' }).compile()],
  ['an update of another column too', false, db.updateTable('counted').set({ seen_at: '', name: '' }).compile()],
  [
    'an insert into a watched table',
    false,
    db.insertInto('counted').values({ id: '', name: '', seen_at: '' }).compile(),
  ],
  ['a deletion from a watched table', false, db.deleteFrom('counted').compile()],
  ['raw SQL', false, sql`delete from logs`.compile(db)],
  [
    'a statement with a WITH clause',
    false,
    db
      .with('changed', (query) => query.updateTable('counted').set({ name: '' }).returning('id'))
      .insertInto('logs')
      .expression((query) => query.selectFrom('changed').select('id'))
      .compile(),
  ],
] as const;

test.each(statements)('%s is unwatched: %s', (_what, expected, query) => {
  expect(isUnwatched(query, unwatched as UnwatchedChanges)).toBe(expected);
});

const reads = [
  ['a read of a watched column', true, db.selectFrom('counted').select('counted.name').compile()],
  ['a read of an unwatched column', false, db.selectFrom('counted').select('counted.seen_at').compile()],
  ['a read of every column', false, db.selectFrom('counted').selectAll('counted').compile()],
  ['a read of an unwatched table', false, db.selectFrom('logs').select('logs.id').compile()],
] as const;

test.each(reads)('the row of %s may be kept: %s', (_what, mayBeKept, { sql: text }) => {
  const check = () => assertWatched(text, unwatched as UnwatchedChanges);
  if (mayBeKept) expect(check).not.toThrow();
  else expect(check).toThrow(/remove it from the read/);
});
