import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { tenantMigrations } from '../../src/db/migrations/tenant/index.ts';
import type { TenantTables } from '../../src/db/tables/tenant-tables.ts';
import { policyDefaults } from '../../src/features/licensing/policies/policy.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';

let fresh: FreshDatabase;

beforeEach(async () => {
  fresh = await freshDatabase();
});

afterEach(() => fresh.remove());

const at = '2026-11-20T12:00:00.000000Z';
const dates = { created_at: at, updated_at: at };

test('what was granted before definitions existed gets them, with the type that its fields tell', async () => {
  const db = fresh.open<TenantTables>();
  const before = Object.entries(tenantMigrations).filter(([name]) => name < '0005');
  await migrate(db, Object.fromEntries(before));
  const product = { code: 'p', name: 'P', description: null, platforms_json: '[]', metadata_json: '{}' };
  await db.query
    .insertInto('products')
    .values({ id: 'product', ...product, ...dates })
    .execute();
  const granted = [{ code: 'on' }, { code: 'seats', limit: 5 }, { code: 'tier', value: 'gold' }];
  const policy = { id: 'policy', product_id: 'product', code: 'c', name: 'C', ...policyDefaults, ...dates };
  await db.query
    .insertInto('policies')
    .values([
      { ...policy, entitlements_json: JSON.stringify(granted) },
      { ...policy, id: 'bare', code: 'bare' },
    ])
    .execute();

  await migrate(db, tenantMigrations);

  const definitions = await db.query.selectFrom('entitlements').select(['code', 'type']).orderBy('code').execute();
  expect(definitions.map(({ code, type }) => `${code} ${type}`)).toEqual(['on boolean', 'seats metered', 'tier value']);
  const policies = await db.query.selectFrom('policies').select(['id', 'entitlements_json']).orderBy('id').execute();
  expect(policies.map((row) => JSON.parse(row.entitlements_json))).toEqual([
    [],
    [
      { code: 'on', type: 'boolean' },
      { code: 'seats', limit: 5, type: 'metered' },
      { code: 'tier', value: 'gold', type: 'value' },
    ],
  ]);
  await expect(db.query.deleteFrom('entitlements').where('code', '=', 'on').execute()).rejects.toThrow(/constraint/i);
});
