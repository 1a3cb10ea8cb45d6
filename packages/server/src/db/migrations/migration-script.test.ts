import { type Kysely, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Engine } from '../database.ts';
import { recordScript } from './migration-script.ts';
import { tenantMigrations } from './tenant/index.ts';

type Step = (db: Kysely<unknown>) => Promise<unknown>;

const createThings: Step = (db) => db.schema.createTable('things').addColumn('id', 'text').execute();
const fillThings: Step = (db) => sql`insert into things (id) values ('one')`.execute(db);

function recorded(engine: Engine, ...steps: readonly Step[]): Promise<string | undefined> {
  return recordScript(engine, async (db) => {
    for (const step of steps) await step(db);
  });
}

describe.each<Engine>(['sqlite', 'postgres'])('the schema script on %s', (engine) => {
  test(`the schema script on ${engine} is recorded for the tenant migrations`, async () => {
    expect(await recorded(engine, ...Object.values(tenantMigrations).map(({ up }) => up))).toContain(
      'create table "licenses"',
    );
  });

  const stepsOnEmptyTables: Readonly<Record<string, Step>> = {
    reads: (db) => sql`select id from things where id > ${'a'} order by id limit 5`.execute(db),
    updates: (db) => sql`update things set id = ${'b'}`.execute(db),
    deletes: (db) => sql`delete from things`.execute(db),
  };
  test.for(Object.entries(stepsOnEmptyTables))('omits a statement that %s an empty table', async ([, step]) => {
    expect(await recorded(engine, createThings, step)).toBe('create table "things" ("id" text);');
  });

  const unrecordable: Readonly<Record<string, readonly Step[]>> = {
    'reads rows that were written': [createThings, fillThings, (db) => sql`select id from things`.execute(db)],
    'reads a table that it did not create': [(db) => sql`select id from things`.execute(db)],
    'counts rows': [createThings, (db) => sql`select count(*) from things`.execute(db)],
    'reads no table': [(db) => sql`select 1`.execute(db)],
    'changes rows that were written': [createThings, fillThings, (db) => sql`update things set id = 'two'`.execute(db)],
    'passes a value as a parameter': [createThings, (db) => sql`insert into things values (${'random'})`.execute(db)],
    'returns rows that were written': [
      createThings,
      (db) => sql`insert into things values ('one') returning id`.execute(db),
    ],
    'reads the catalogue': [(db) => db.introspection.getTables()],
    'renames a table': [createThings, (db) => db.schema.alterTable('things').renameTo('others').execute()],
    'begins a transaction': [(db) => db.transaction().execute((tx) => createThings(tx))],
  };
  test.for(Object.entries(unrecordable))(
    `the schema script on ${engine} is not recorded for a migration that %s`,
    async ([, steps]) => {
      expect(await recorded(engine, ...steps)).toBeUndefined();
    },
  );

  test(`the error of a migration that throws is passed on instead of a schema script on ${engine}`, async () => {
    await expect(recorded(engine, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });
});
