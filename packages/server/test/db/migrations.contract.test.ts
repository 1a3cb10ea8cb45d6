import type { Kysely } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkSchema, type Migrations, migrate, NewerSchemaError } from '../../src/db/migrate.ts';
import { platformMigrations } from '../../src/db/migrations/platform/index.ts';
import { tenantMigrations } from '../../src/db/migrations/tenant/index.ts';
import type { PlatformTables, TenantTables } from '../../src/db/tables.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';

let fresh: FreshDatabase;

beforeEach(async () => {
  fresh = await freshDatabase();
});

afterEach(() => fresh.remove());

const nextMigration = {
  up: (db: Kysely<unknown>) => db.schema.createTable('later').addColumn('id', 'text').execute(),
};
const newerMigrations: Migrations = { ...tenantMigrations, '9999-later': nextMigration };

describe('migrations', () => {
  test('run once, and the schema is then current', async () => {
    const db = fresh.open<TenantTables>();
    expect(await checkSchema(db, tenantMigrations)).toBe('behind');
    expect(await migrate(db, tenantMigrations)).toEqual({ applied: Object.keys(tenantMigrations) });
    expect(await checkSchema(db, tenantMigrations)).toBe('current');
    expect(await migrate(db, tenantMigrations)).toEqual({ applied: [] });
    expect(await db.query.selectFrom('licenses').selectAll().execute()).toEqual([]);
  });

  test('that were added later run on the next start', async () => {
    const db = fresh.open<TenantTables>();
    await migrate(db, tenantMigrations);
    expect(await checkSchema(db, newerMigrations)).toBe('behind');
    expect(await migrate(db, newerMigrations)).toEqual({ applied: ['9999-later'] });
  });

  test('of a newer version make an older one refuse the database', async () => {
    const db = fresh.open<TenantTables>();
    await migrate(db, newerMigrations);
    expect(await checkSchema(db, tenantMigrations)).toBe('ahead');
    await expect(migrate(db, tenantMigrations)).rejects.toThrow(NewerSchemaError);
  });

  test('started by several at once run once', async () => {
    const handles = Array.from({ length: 4 }, () => fresh.open<TenantTables>());
    const outcomes = await Promise.all([...handles, ...handles].map((db) => migrate(db, tenantMigrations)));
    expect(outcomes.flatMap((outcome) => outcome.applied)).toEqual(Object.keys(tenantMigrations));
  });

  test('one that fails leaves nothing behind, and can be repeated', async () => {
    const db = fresh.open<TenantTables>();
    const failing: Migrations = {
      ...tenantMigrations,
      '9999-later': { up: () => Promise.reject(new Error('interrupted')) },
    };
    await expect(migrate(db, failing)).rejects.toThrow('interrupted');
    expect(await checkSchema(db, newerMigrations)).toBe('behind');
    expect(await migrate(db, newerMigrations)).toEqual({ applied: Object.keys(newerMigrations) });
  });

  test('of the platform bring the plan "free"', async () => {
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
