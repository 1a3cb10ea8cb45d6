import { type Generated, type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database, PreparedRead } from '../../src/db/database.ts';
import { lockRows, rowsOf } from '../../src/db/dialect.ts';
import { isForeignKeyViolation, isUnavailable, isUniqueViolation, violatedIndex } from '../../src/db/errors.ts';
import { uniqueIndex } from '../../src/db/migrations/schema.ts';
import { deleteRows, findRow, insertRow, lockRow, updateRows } from '../../src/db/rows.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';

interface Tables {
  parents: { id: string; label: string | null; amount: number | null; released_at: string | null };
  children: { id: string; parent_id: string; extra: Generated<string | null> };
}

let fresh: FreshDatabase;
let db: Database<Tables>;

beforeAll(async () => {
  fresh = await freshDatabase();
  db = fresh.open<Tables>();
  await db.query.schema
    .createTable('parents')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('label', 'text')
    .addColumn('amount', 'bigint')
    .addColumn('released_at', 'text')
    .execute();
  await db.query.schema
    .createTable('children')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('parent_id', 'text', (column) => column.notNull().references('parents.id'))
    .addColumn('extra', 'text')
    .execute();
  await uniqueIndex(db.query, 'parents', ['label', 'amount'], 'released_at');
});

afterAll(() => fresh.remove());

beforeEach(async () => {
  await db.query.deleteFrom('children').execute();
  await db.query.deleteFrom('parents').execute();
});

const parent = (id: string, fields: Partial<Tables['parents']> = {}): Tables['parents'] => ({
  id,
  label: null,
  amount: null,
  released_at: null,
  ...fields,
});

const insertParents = (...rows: Tables['parents'][]) => db.query.insertInto('parents').values(rows).execute();

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function pairsOf<Tables>(tx: Kysely<Tables>, pairs: readonly (readonly [string, string])[]) {
  return sql<{ id: string; label: string }>`(select value ->> 0 as id, value ->> 1 as label from ${rowsOf(tx, pairs)})`;
}

describe('arrays of texts as rows', () => {
  test('arrays of texts keep every character, and an update joins its rows with them', async () => {
    const odd = ['a', "it's", '"quoted"', '%_\\', '[1]', 'null', '7', 'é💥\u2028', ''];
    await insertParents(...odd.map((id) => parent(id)), parent('other', { label: 'untouched' }));
    const pairs = odd.map((id) => [id, `new ${id}`] as const);
    await db.transaction(async (tx) => {
      const listed = tx.selectFrom(pairsOf(tx, pairs).as('listed')).select('listed.id');
      await lockRows(tx, tx.selectFrom('parents').select('id').where('id', 'in', listed).orderBy('id'));
      await tx
        .updateTable('parents')
        .from(pairsOf(tx, pairs).as('pair'))
        .set((eb) => ({ label: eb.ref('pair.label') }))
        .whereRef('parents.id', '=', 'pair.id')
        .execute();
    });
    const rows = await db.query.selectFrom('parents').select(['id', 'label']).execute();
    const labels = Object.fromEntries(rows.map(({ id, label }) => [id, label]));
    expect(labels).toEqual({ ...Object.fromEntries(pairs), other: 'untouched' });
  });

  test('an empty array of texts gives no rows', async () => {
    const none = await db.transaction((tx) => tx.selectFrom(pairsOf(tx, []).as('pair')).selectAll().execute());
    expect(none).toEqual([]);
  });
});

describe('numbers', () => {
  test('64-bit integers, counts and sums are returned as numbers', async () => {
    await insertParents(parent('a', { amount: Number.MAX_SAFE_INTEGER - 1 }), parent('b', { amount: 1 }));
    const row = await db.query
      .selectFrom('parents')
      .select((eb) => [eb.fn.countAll().as('count'), eb.fn.sum('amount').as('sum'), eb.fn.max('amount').as('max')])
      .executeTakeFirstOrThrow();
    expect({ ...row }).toEqual({ count: 2, sum: Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER - 1 });
  });

  test('reading an integer beyond 2^53 - 1 throws instead of rounding', async () => {
    await sql`insert into parents (id, amount) values ('a', 9007199254740993)`.execute(db.query);
    const error = await errorOf(db.query.selectFrom('parents').select('amount').execute());
    expect(error).toBeInstanceOf(RangeError);
  });

  test('update and delete return the number of changed rows', async () => {
    await insertParents(parent('a'), parent('b'));
    const updated = await db.query.updateTable('parents').set({ amount: 5 }).executeTakeFirstOrThrow();
    const deleted = await db.query.deleteFrom('parents').where('id', '=', 'a').executeTakeFirstOrThrow();
    expect([updated.numUpdatedRows, deleted.numDeletedRows]).toEqual([2n, 1n]);
  });
});

describe('parameters', () => {
  test.each([
    ['true', true],
    ['a Date', new Date(0)],
    ['NaN', Number.NaN],
    ['an object', {}],
    ['undefined', undefined],
  ])('%s is refused as a parameter', async (_name, value) => {
    const error = await errorOf(sql`select ${value}`.execute(db.query));
    expect(error).toBeInstanceOf(TypeError);
  });
});

describe('text', () => {
  test('text sorts by bytes, and nullsLast sorts null last in both directions', async () => {
    await insertParents(
      parent('1', { label: 'b' }),
      parent('2', { label: 'B' }),
      parent('3'),
      parent('4', { label: 'a' }),
    );
    const labels = async (direction: 'asc' | 'desc') =>
      (
        await db.query
          .selectFrom('parents')
          .select('label')
          .orderBy('label', (order) => (direction === 'asc' ? order.asc() : order.desc()).nullsLast())
          .execute()
      ).map((row) => row.label);
    expect(await labels('asc')).toEqual(['B', 'a', 'b', null]);
    expect(await labels('desc')).toEqual(['b', 'a', 'B', null]);
  });
});

describe('constraints', () => {
  test('an error of a unique violation contains the name of the index', async () => {
    await insertParents(parent('a', { label: 'x', amount: 1 }));
    const error = await errorOf(insertParents(parent('b', { label: 'x', amount: 1 })));
    expect(violatedIndex(error)).toBe('parents_label_amount_unique');
    expect(isUniqueViolation(error, 'parents_label_amount_unique')).toBe(true);
    expect(isUniqueViolation(error, 'parents_pkey')).toBe(false);
    expect(isForeignKeyViolation(error)).toBe(false);
  });

  test('a partial unique index allows duplicates outside its condition', async () => {
    await insertParents(parent('a', { label: 'x', amount: 1, released_at: 'then' }));
    await insertParents(parent('b', { label: 'x', amount: 1 }));
    expect(await db.query.selectFrom('parents').select('id').execute()).toHaveLength(2);
  });

  test('a violation of a primary key is a unique violation', async () => {
    await insertParents(parent('a'));
    expect(violatedIndex(await errorOf(insertParents(parent('a'))))).toBe('parents_pkey');
  });

  test('a foreign key refuses orphans and the deletion of a referenced row', async () => {
    const orphan = await errorOf(db.query.insertInto('children').values({ id: 'c', parent_id: 'none' }).execute());
    await insertParents(parent('a'));
    await db.query.insertInto('children').values({ id: 'c', parent_id: 'a' }).execute();
    const deletion = await errorOf(db.query.deleteFrom('parents').execute());
    expect([isForeignKeyViolation(orphan), isForeignKeyViolation(deletion)]).toEqual([true, true]);
    expect([isUniqueViolation(orphan), isUnavailable(orphan)]).toEqual([false, false]);
  });
});

describe('prepared reads', () => {
  const byAmountThenLabel: PreparedRead<Tables, { id: string }> = {
    name: 'contract_by_amount_then_label',
    build: (query, parameter) =>
      query
        .selectFrom('parents')
        .select('id')
        .where('amount', '=', sql<number>`${parameter(1)}`)
        .where('released_at', 'is', null)
        .where('label', 'in', ['constant', parameter(0)])
        .where('label', '!=', 'other constant')
        .limit(1),
  };

  test('the arguments of a prepared read are bound in the right order among constants', async () => {
    await insertParents(parent('a', { label: 'x', amount: 1 }), parent('b', { label: 'x', amount: 2 }));
    expect((await db.first(byAmountThenLabel, ['x', 2]))?.id).toBe('b');
    expect((await db.first(byAmountThenLabel, ['x', 1]))?.id).toBe('a');
    expect(await db.first(byAmountThenLabel, ['y', 1])).toBeUndefined();
  });

  test.each([
    ['a missing argument', ['x']],
    ['an extra argument', ['x', 1, 2]],
  ])('a prepared read refuses %s', async (_name, args) => {
    const work = Promise.try(() => db.first(byAmountThenLabel, args));
    await expect(work).rejects.toThrow('takes 2 arguments');
  });

  test('a prepared read works after a column was added to its table', async () => {
    const all: PreparedRead<Tables, { id: string }> = {
      name: 'contract_all_columns',
      build: (query, parameter) => query.selectFrom('children').selectAll().where('id', '=', parameter(0)),
    };
    await insertParents(parent('a'));
    await db.query.insertInto('children').values({ id: 'c', parent_id: 'a' }).execute();
    await db.first(all, ['c']);
    await db.query.schema.alterTable('children').addColumn('added', 'text').execute();
    expect((await db.first(all, ['c']))?.id).toBe('c');
  });

  test('a failing statement does not affect statements that were sent at the same time', async () => {
    await insertParents(parent('a', { label: 'x', amount: 1 }));
    const broken: PreparedRead<Tables, object> = {
      name: 'contract_broken',
      build: (query) => ({ compile: () => sql<object>`select * from no_such_table`.compile(query) }),
    };
    const outcomes = await Promise.allSettled([
      Promise.try(() => db.first(byAmountThenLabel, ['x', 1])),
      insertParents(parent('a')),
      Promise.try(() => db.first(broken, [])),
      insertParents(parent('b')),
      Promise.try(() => db.first(byAmountThenLabel, ['x', 1])),
    ]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });
});

describe('statements about rows that match', () => {
  beforeEach(() => insertParents(parent('a', { label: 'x', amount: 1 }), parent('b', { label: 'x', amount: 2 })));

  test('a row is inserted, and found and locked by its id and by columns', async () => {
    await insertRow(db.query, 'parents', parent('c', { label: 'y' }));
    const expected = parent('c', { label: 'y' });
    expect(await findRow(db.query, 'parents', 'c')).toEqual(expected);
    expect(await db.transaction((tx) => lockRow(tx, 'parents', { id: 'c', label: 'y' }))).toEqual(expected);
    expect(await findRow(db.query, 'parents', { id: 'c', label: 'x' })).toBeUndefined();
  });

  test('only the rows that match in every column are changed and deleted', async () => {
    await updateRows(db.query, 'parents', { label: 'x', amount: 1 }, { label: 'z' });
    await deleteRows(db.query, 'parents', { label: 'x' });
    expect(await db.query.selectFrom('parents').selectAll().execute()).toEqual([
      parent('a', { label: 'z', amount: 1 }),
    ]);
  });

  test('a match without a column is refused, because it would match every row', async () => {
    await expect(deleteRows(db.query, 'parents', {})).rejects.toThrow('A match needs at least one column.');
    await expect(updateRows(db.query, 'parents', {}, { label: 'z' })).rejects.toThrow();
  });
});
