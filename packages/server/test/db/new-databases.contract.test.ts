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

const names = Object.keys(tenantMigrations);
const half = names[Math.floor(names.length / 2)] ?? '';

/** The ways to the newest schema. */
const ways: Readonly<Record<string, (db: ReturnType<FreshDatabase['open']>) => Promise<unknown>>> = {
  'in one script': (db) => migrate(db, tenantMigrations),
  'in one script to an older schema, and one migration after the other from there': async (db) => {
    await migrateTo(db, tenantMigrations, half);
    await migrate(db, tenantMigrations);
  },
};

describe('a database that is made', () => {
  test.for(Object.entries(ways))('%s equals the one that Kysely migrates', async ([, way]) => {
    await migrateByKysely(byKysely.location, tenantMigrations);
    const theirs = byKysely.open();
    const ours = byUs.open();
    await way(ours);
    expect(await readCatalogueOf(ours.query, engine)).toEqual(await readCatalogueOf(theirs.query, engine));
    expect(await readRowsOf(ours.query)).toEqual(await readRowsOf(theirs.query));
    // Kysely goes on where we ended, and finds nothing to do.
    await migrateByKysely(byUs.location, tenantMigrations);
  });

  test('for the platform equals the one that Kysely migrates', async () => {
    await migrateByKysely(byKysely.location, platformMigrations);
    const ours = byUs.open();
    await migrate(ours, platformMigrations);
    expect(await readCatalogueOf(ours.query, engine)).toEqual(await readCatalogueOf(byKysely.open().query, engine));
  });
});

test('migrations that read what they wrote run one after the other on a new database', async () => {
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
