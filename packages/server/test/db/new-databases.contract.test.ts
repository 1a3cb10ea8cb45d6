import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Migrations, migrate, migrateTo } from '../../src/db/migrations/migrate.ts';
import { platformMigrations } from '../../src/db/migrations/platform/index.ts';
import { tenantMigrations } from '../../src/db/migrations/tenant/index.ts';
import { readCatalogueOf, readRowsOf } from '../support/catalogue.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';
import { engine } from '../support/harness.ts';
import { migrateByKysely } from '../support/kysely-migrator.ts';

const open: FreshDatabase[] = [];
let byKysely: FreshDatabase;
let byUs: FreshDatabase;

beforeEach(async () => {
  byKysely = await freshDatabase();
  byUs = await freshDatabase();
  open.push(byKysely, byUs);
});

afterEach(async () => {
  for (const database of open.splice(0)) await database.remove();
});

/** A later version of the program. Its migrations can be recorded as a script, because they depend on no data. */
const later: Migrations = {
  ...tenantMigrations,
  '9001-column': {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('licenses').addColumn('added', 'text').execute();
      await sql`update licenses set added = key where added is null`.execute(db);
    },
  },
  '9002-table': {
    async up(db: Kysely<unknown>) {
      await db.schema.createTable('things').addColumn('id', 'text').execute();
      await sql`insert into things (id) values ('one')`.execute(db);
    },
  },
  '9003-index': { up: (db) => db.schema.createIndex('things_id').on('things').column('id').execute() },
};

/** The ways from an empty database to the newest schema. */
const ways: Readonly<Record<string, (db: ReturnType<FreshDatabase['open']>) => Promise<unknown>>> = {
  'by one script': (db) => migrate(db, later),
  'by one script for an older schema and then one migration after the other': async (db) => {
    await migrateTo(db, later, '9001-column');
    await migrate(db, later);
  },
  'by the baseline and an upgrade': async (db) => {
    await migrate(db, tenantMigrations);
    await migrate(db, later);
  },
};

describe('a new database', () => {
  test.for(Object.entries(ways))('a tenant database created %s equals one that Kysely migrates', async ([, way]) => {
    await migrateByKysely(byKysely.location, later);
    const theirs = byKysely.open();
    const ours = byUs.open();
    await way(ours);
    expect(await readCatalogueOf(ours.query, engine)).toEqual(await readCatalogueOf(theirs.query, engine));
    expect(await readRowsOf(ours.query)).toEqual(await readRowsOf(theirs.query));
    // Kysely's Migrator accepts our ledger and finds nothing to do.
    await migrateByKysely(byUs.location, later);
  });

  test('a new platform database equals one that Kysely migrates', async () => {
    await migrateByKysely(byKysely.location, platformMigrations);
    const ours = byUs.open();
    await migrate(ours, platformMigrations);
    expect(await readCatalogueOf(ours.query, engine)).toEqual(await readCatalogueOf(byKysely.open().query, engine));
  });
});

test('migrations that read rows written by earlier ones run one after the other on a new database', async () => {
  const readsAndWrites: Migrations = {
    '0001-things': { up: (db) => db.schema.createTable('things').addColumn('id', 'text').execute() },
    '0002-first': { up: (db) => db.insertInto('things').values({ id: 'one' }).execute().then() },
    '0003-second': {
      async up(db: Kysely<unknown>) {
        const { rows } = await sql<{ id: string }>`select id from things`.execute(db);
        for (const { id } of rows) await sql`insert into things (id) values (${`${id} more`})`.execute(db);
      },
    },
  };
  const db = byUs.open<{ things: { id: string } }>();
  expect(await migrate(db, readsAndWrites)).toMatchObject({ applied: Object.keys(readsAndWrites) });
  expect(await db.query.selectFrom('things').select('id').orderBy('id').execute()).toEqual([
    { id: 'one' },
    { id: 'one more' },
  ]);
});
