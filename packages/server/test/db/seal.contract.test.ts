import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { isLockedOut, TenantMovingError } from '../../src/db/errors.ts';
import { findSeal, removeSeal, seal } from '../../src/db/seal.ts';
import { engine } from '../support/harness.ts';
import { errorOf, useCounters, valueIn } from './counters.ts';

const counters = useCounters();
const sealId = 'a'.repeat(32);
const otherId = 'b'.repeat(32);

const lockWaitMs = 700;
const nothing = () => Promise.resolve();

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
      await seal(counters.db, sealId, lockWaitMs);
      for (const db of [counters.db, open]) {
        expect(await errorOf(sql.raw(statement).execute(db.query))).toBeInstanceOf(TenantMovingError);
        expect(await errorOf(db.transaction((tx) => sql.raw(statement).execute(tx)))).toBeInstanceOf(TenantMovingError);
      }
      expect((await sql`select * from counters`.execute(open.query)).rows).toEqual(before.rows);
    },
  );

  test('a sealed database accepts changes again only after its own seal is removed', async () => {
    expect(await findSeal(counters.db)).toBeUndefined();
    await seal(counters.db, sealId, lockWaitMs);
    await removeSeal(counters.db, otherId, nothing);
    expect(await findSeal(counters.db)).toBe(sealId);
    await removeSeal(counters.open(), sealId, nothing);
    expect(await findSeal(counters.db)).toBeUndefined();
    await sql`update counters set value = 3`.execute(counters.db.query);
    expect(await valueIn(counters.db)).toBe(3);
  });

  test('a database is not sealed when the check right before the commit fails', async () => {
    const refuse = () => Promise.reject(new Error('The claim is lost.'));
    expect(String(await errorOf(seal(counters.db, sealId, lockWaitMs, refuse)))).toContain('The claim is lost.');
    expect(await findSeal(counters.db)).toBeUndefined();
  });

  test.runIf(engine === 'postgres')(
    'the removal of a seal lets changes pass at once, also while the snapshot of a dead mover is open',
    async () => {
      await seal(counters.db, sealId, lockWaitMs);
      const read = Promise.withResolvers<void>();
      const removed = Promise.withResolvers<void>();
      const reading = counters.open().transaction(async (tx) => {
        await sql`select * from counters`.execute(tx);
        read.resolve();
        await removed.promise;
      });
      await read.promise;
      expect(isLockedOut(await errorOf(removeSeal(counters.db, sealId, nothing)))).toBe(true);
      await sql`update counters set value = 3`.execute(counters.db.query);
      removed.resolve();
      await reading;
      await removeSeal(counters.db, sealId, nothing);
      expect(await findSeal(counters.db)).toBeUndefined();
    },
  );
});
