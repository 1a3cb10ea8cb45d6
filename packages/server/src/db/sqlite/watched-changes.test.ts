import { DummyDriver, Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { dialectOf } from './connection.ts';
import { assertWatched, discardedBy, type WatchedChanges } from './watched-changes.ts';

interface Tables {
  counted: { id: string; name: string; seen_at: string };
  logs: { id: string };
  devices: { id: string; license_id: string };
}

const db = new Kysely<Tables>({ dialect: dialectOf(new DummyDriver()) });
const watched: WatchedChanges<Tables> = {
  unwatchedTables: ['logs'],
  unwatchedColumns: ['counted.seen_at'],
  licenseColumns: { devices: 'license_id' },
};

const statements = [
  ['an insert into an unwatched table', 'nothing', db.insertInto('logs').values({ id: '1' }).compile()],
  ['an update of an unwatched table', 'nothing', db.updateTable('logs').set({ id: '1' }).compile()],
  ['a deletion from an unwatched table', 'nothing', db.deleteFrom('logs').compile()],
  ['an update of only an unwatched column', 'nothing', db.updateTable('counted').set({ seen_at: '' }).compile()],
  ['an update of another column too', 'everything', db.updateTable('counted').set({ seen_at: '', name: '' }).compile()],
  [
    'an insert into a watched table',
    'everything',
    db.insertInto('counted').values({ id: '', name: '', seen_at: '' }).compile(),
  ],
  ['a deletion from a watched table', 'everything', db.deleteFrom('counted').compile()],
  ['a deletion of rows of licenses', 'licenses', db.deleteFrom('devices').compile()],
  [
    'an update that moves a row to another license',
    'licenses',
    db.updateTable('devices').set({ license_id: '2' }).compile(),
  ],
  ['raw SQL', 'everything', sql`delete from logs`.compile(db)],
  [
    'a statement with a WITH clause',
    'everything',
    db
      .with('changed', (query) => query.updateTable('counted').set({ name: '' }).returning('id'))
      .insertInto('logs')
      .expression((query) => query.selectFrom('changed').select('id'))
      .compile(),
  ],
] as const;

test.each(statements)('%s discards %s', (_what, expected, query) => {
  expect(discardedBy(query, watched as WatchedChanges)).toBe(expected);
});

const reads = [
  ['a read of a watched column', true, db.selectFrom('counted').select('counted.name').compile()],
  ['a read of an unwatched column', false, db.selectFrom('counted').select('counted.seen_at').compile()],
  ['a read of every column', false, db.selectFrom('counted').selectAll('counted').compile()],
  ['a read of an unwatched table', false, db.selectFrom('logs').select('logs.id').compile()],
] as const;

test.each(reads)('the row of %s may be kept: %s', (_what, mayBeKept, { sql: text }) => {
  const check = () => assertWatched(text, watched as WatchedChanges);
  if (mayBeKept) expect(check).not.toThrow();
  else expect(check).toThrow(/remove it from the read/);
});
