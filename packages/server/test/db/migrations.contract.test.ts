import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  checkSchema,
  isFromBeforeFirstRelease,
  type Migrations,
  migrate,
  NewerSchemaError,
} from '../../src/db/migrations/migrate.ts';
import { platformMigrations } from '../../src/db/migrations/platform/index.ts';
import { tenantMigrations } from '../../src/db/migrations/tenant/index.ts';
import type { PlatformTables } from '../../src/db/tables/platform-tables.ts';
import type { TenantTables } from '../../src/db/tables/tenant-tables.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';

let fresh: FreshDatabase;

beforeEach(async () => {
  fresh = await freshDatabase();
});

afterEach(() => fresh.remove());

const createTable = (name: string) => (db: Kysely<unknown>) =>
  db.schema.createTable(name).addColumn('id', 'text').execute();

/** Applies a step and then fails, as a process that is killed in the middle of a migration does. */
const failAfter = (step: (db: Kysely<unknown>) => Promise<void>) => async (db: Kysely<unknown>) => {
  await step(db);
  throw new Error('interrupted');
};

const latest = Object.keys(tenantMigrations).sort().at(-1) ?? '';
const newerMigrations: Migrations = { ...tenantMigrations, '9999-later': { up: createTable('later') } };

describe('migrations', () => {
  test('a migration runs once, and the schema is then current', async () => {
    const db = fresh.open<TenantTables>();
    expect(await checkSchema(db, tenantMigrations)).toBe('behind');
    expect(await migrate(db, tenantMigrations)).toEqual({
      state: 'migrated',
      applied: Object.keys(tenantMigrations),
    });
    expect(await checkSchema(db, tenantMigrations)).toBe('current');
    expect(await migrate(db, tenantMigrations)).toEqual({ state: 'current', applied: [] });
    expect(await db.query.selectFrom('licenses').selectAll().execute()).toEqual([]);
  });

  test('a migration that a newer version adds runs on the next start', async () => {
    const db = fresh.open<TenantTables>();
    await migrate(db, tenantMigrations);
    expect(await checkSchema(db, newerMigrations)).toBe('behind');
    expect(await migrate(db, newerMigrations)).toEqual({ state: 'migrated', applied: ['9999-later'] });
  });

  test('an older version refuses a database that a newer version migrated', async () => {
    const db = fresh.open<TenantTables>();
    await migrate(db, newerMigrations);
    expect(await checkSchema(db, tenantMigrations)).toBe('ahead');
    await expect(migrate(db, tenantMigrations)).rejects.toThrow(NewerSchemaError);
  });

  test('a database of a version before 1.0 is refused as such, and not as one of a newer version', async () => {
    const db = fresh.open<TenantTables>();
    const former: Migrations = {
      '0001-tenants': { up: createTable('former') },
      '0099-last': { up: createTable('last') },
    };
    await migrate(db, former);
    expect(await isFromBeforeFirstRelease(db, tenantMigrations)).toBe(true);
    await expect(migrate(db, tenantMigrations)).rejects.toThrow('was created by a version before 1.0');
    expect(await migrate(db, former)).toEqual({ state: 'current', applied: [] });
  });

  test('an older version uses a newer database without changes where `servedFrom` allows it', async () => {
    const db = fresh.open<TenantTables>();
    await migrate(db, { ...tenantMigrations, '9998-added': { up: createTable('added'), servedFrom: latest } });
    expect(await checkSchema(db, tenantMigrations)).toBe('newer');
    expect(await migrate(db, tenantMigrations)).toEqual({ state: 'newer', applied: [] });
  });

  test('a version that does not know the migration of `servedFrom` is refused', async () => {
    const db = fresh.open<TenantTables>();
    const second: Migrations = { ...tenantMigrations, '9997-second': { up: createTable('second') } };
    await migrate(db, { ...second, '9998-added': { up: createTable('added'), servedFrom: '9997-second' } });
    expect(await checkSchema(db, second)).toBe('newer');
    expect(await checkSchema(db, tenantMigrations)).toBe('ahead');
    await expect(migrate(db, tenantMigrations)).rejects.toThrow(NewerSchemaError);
  });

  test('a migration without `servedFrom` makes every older version refuse the database', async () => {
    const db = fresh.open<TenantTables>();
    const added = { up: createTable('added'), servedFrom: latest };
    await migrate(db, { ...tenantMigrations, '9998-added': added, '9999-silent': { up: createTable('silent') } });
    expect(await checkSchema(db, tenantMigrations)).toBe('ahead');
  });

  test('a ledger without the compatibility table, as Kysely creates it, is completed', async () => {
    const db = fresh.open<TenantTables>();
    await migrate(db, tenantMigrations);
    await sql`drop table schema_compatibility`.execute(db.query);
    expect(await migrate(db, tenantMigrations)).toEqual({ state: 'current', applied: [] });
    expect(await checkSchema(db, tenantMigrations)).toBe('current');
  });

  test('a migration inserted before one that already ran is refused, because it would never run', async () => {
    const db = fresh.open<TenantTables>();
    await migrate(db, newerMigrations);
    const inserted: Migrations = {
      ...newerMigrations,
      '5000-inserted': { up: createTable('inserted') },
      '99999-last': { up: createTable('last') },
    };
    await expect(migrate(db, inserted)).rejects.toThrow('do not match those of this program, first 9999-later');
  });

  test('several concurrent starts run each migration once', async () => {
    const handles = Array.from({ length: 4 }, () => fresh.open<TenantTables>());
    const outcomes = await Promise.all([...handles, ...handles].map((db) => migrate(db, newerMigrations)));
    expect(outcomes.flatMap((outcome) => outcome.applied)).toEqual(Object.keys(newerMigrations));
  });

  test('a migration that fails on a new database leaves nothing behind and can be repeated', async () => {
    const db = fresh.open<TenantTables>();
    const failing: Migrations = { ...tenantMigrations, '9999-later': { up: failAfter(createTable('later')) } };
    await expect(migrate(db, failing)).rejects.toThrow('interrupted');
    expect(await checkSchema(db, newerMigrations)).toBe('behind');
    expect(await migrate(db, newerMigrations)).toMatchObject({ applied: Object.keys(newerMigrations) });
  });

  test('a migration that fails on an existing database is rolled back and can be repeated', async () => {
    const db = fresh.open<TenantTables>();
    await migrate(db, tenantMigrations);
    const failing: Migrations = { ...tenantMigrations, '9999-later': { up: failAfter(createTable('later')) } };
    await expect(migrate(db, failing)).rejects.toThrow('interrupted');
    expect(await checkSchema(db, tenantMigrations)).toBe('current');
    expect(await migrate(db, newerMigrations)).toEqual({ state: 'migrated', applied: ['9999-later'] });
  });

  test('the migrations of the platform insert the plan "free"', async () => {
    const db = fresh.open<PlatformTables>();
    await migrate(db, platformMigrations);
    const plans = await db.query.selectFrom('plans').select(['code', 'limits_json', 'features_json']).execute();
    expect(plans.map((plan) => [plan.code, JSON.parse(plan.limits_json), plan.features_json])).toEqual([
      [
        'free',
        {
          products: null,
          licenses: null,
          activations: null,
          api_keys: null,
          webhooks: null,
          members: null,
          integration_requests_per_minute: 6000,
        },
        '[]',
      ],
    ]);
  });
});
