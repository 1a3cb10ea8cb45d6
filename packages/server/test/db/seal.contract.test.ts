import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { findSeal, removeSeal, sealStatements } from '../../src/db/copy/seal.ts';
import { TenantMovingError } from '../../src/db/errors.ts';
import { errorOf, useCounters, valueIn } from './counters.ts';

const counters = useCounters();
const sealId = 'a'.repeat(32);
const otherId = 'b'.repeat(32);

async function seal(id: string): Promise<void> {
  await counters.db.transaction(async (tx) => {
    for (const statement of sealStatements(counters.db.engine, ['counters'], id)) await sql.raw(statement).execute(tx);
  });
}

describe('a sealed database', () => {
  test.for([
    ['inserts', `insert into counters (id, value) values ('b', 1)`],
    ['inserts of existing rows', `insert into counters (id, value) values ('a', 1) on conflict do nothing`],
    ['upserts', `insert into counters (id, value) values ('a', 1) on conflict (id) do update set value = 5`],
    ['updates', 'update counters set value = 7'],
    ['deletions', 'delete from counters'],
  ])(
    'a sealed database refuses %s in single statements, in transactions and on connections that were open before',
    async ([, statement = '']) => {
      const open = counters.open();
      const before = await sql`select * from counters`.execute(open.query);
      await seal(sealId);
      for (const db of [counters.db, open]) {
        expect(await errorOf(sql.raw(statement).execute(db.query))).toBeInstanceOf(TenantMovingError);
        expect(await errorOf(db.transaction((tx) => sql.raw(statement).execute(tx)))).toBeInstanceOf(TenantMovingError);
      }
      expect((await sql`select * from counters`.execute(open.query)).rows).toEqual(before.rows);
    },
  );

  test('a sealed database accepts changes again only after its own seal is removed', async () => {
    expect(await findSeal(counters.db)).toBeUndefined();
    await seal(sealId);
    await counters.db.transaction((tx) => removeSeal(tx, otherId));
    expect(await findSeal(counters.db)).toBe(sealId);
    await counters.open().transaction((tx) => removeSeal(tx, sealId));
    expect(await findSeal(counters.db)).toBeUndefined();
    await sql`update counters set value = 3`.execute(counters.db.query);
    expect(await valueIn(counters.db)).toBe(3);
  });
});
