import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkSchema, type Migrations, migrate, NewerSchemaError } from '../../src/db/migrations/migrate.ts';
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

const nextMigration = {
  up: (db: Kysely<unknown>) => db.schema.createTable('later').addColumn('id', 'text').execute(),
};
const newerMigrations: Migrations = { ...tenantMigrations, '9999-later': nextMigration };

describe('migrations', () => {
  test('run once, and the schema is then current', async () => {
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

  test('that were added later run on the next start', async () => {
    const db = fresh.open<TenantTables>();
    await migrate(db, tenantMigrations);
    expect(await checkSchema(db, newerMigrations)).toBe('behind');
    expect(await migrate(db, newerMigrations)).toEqual({ state: 'migrated', applied: ['9999-later'] });
  });

  test('of a newer version make an older one refuse the database', async () => {
    const db = fresh.open<TenantTables>();
    await migrate(db, newerMigrations);
    expect(await checkSchema(db, tenantMigrations)).toBe('ahead');
    await expect(migrate(db, tenantMigrations)).rejects.toThrow(NewerSchemaError);
  });

  test('of a newer version that say so let an older one go on, which changes nothing', async () => {
    const db = fresh.open<TenantTables>();
    const latest = Object.keys(tenantMigrations).sort().at(-1) ?? '';
    await migrate(db, { ...tenantMigrations, '9998-added': { ...nextMigration, servedFrom: latest } });
    expect(await checkSchema(db, tenantMigrations)).toBe('newer');
    expect(await migrate(db, tenantMigrations)).toEqual({ state: 'newer', applied: [] });
    // A version that does not know what is needed is refused, and so is every one after a migration that says nothing.
    const older = Object.fromEntries(Object.entries(tenantMigrations).filter(([name]) => name !== latest));
    expect(await checkSchema(db, older)).toBe('ahead');
    const added = { '9998-added': { ...nextMigration, servedFrom: latest } };
    const silent = { up: (tx: Kysely<unknown>) => tx.schema.createTable('silent').addColumn('id', 'text').execute() };
    await migrate(db, { ...tenantMigrations, ...added, '9999-silent': silent });
    expect(await checkSchema(db, tenantMigrations)).toBe('ahead');
  });

  test('of a version before there was a compatibility are completed by it', async () => {
    const db = fresh.open<TenantTables>();
    await migrate(db, tenantMigrations);
    await sql`drop table schema_compatibility`.execute(db.query);
    expect(await migrate(db, tenantMigrations)).toEqual({ state: 'current', applied: [] });
    expect(await checkSchema(db, tenantMigrations)).toBe('current');
  });

  test('that came later under an earlier name are refused, because they would be left out', async () => {
    const db = fresh.open<TenantTables>();
    await migrate(db, newerMigrations);
    const inserted = { ...newerMigrations, '5000-inserted': nextMigration, '99999-last': nextMigration };
    await expect(migrate(db, inserted)).rejects.toThrow('are not those of this program, beginning with 9999-later');
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
    expect(await migrate(db, newerMigrations)).toMatchObject({ applied: Object.keys(newerMigrations) });
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
