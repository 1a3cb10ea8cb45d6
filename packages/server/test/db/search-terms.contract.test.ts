import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TenantTransaction } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { tenantMigrations } from '../../src/db/migrations/tenant/index.ts';
import type { LicensesTable } from '../../src/db/tables/tenant/licenses.ts';
import type { TenantTables } from '../../src/db/tables/tenant-tables.ts';
import { createLicenseRows } from '../../src/features/licensing/licenses/queries.ts';
import { newId } from '../../src/lib/ids.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';

let fresh: FreshDatabase;

beforeEach(async () => {
  fresh = await freshDatabase();
});

afterEach(() => fresh.remove());

const at = '2026-01-01T00:00:00.000000Z';
const productId = newId();
const policyId = newId();

const product = {
  id: productId,
  code: 'editor',
  name: 'Editor',
  description: null,
  platforms_json: '[]',
  metadata_json: '{}',
  created_at: at,
  updated_at: at,
};

const policy = {
  id: policyId,
  product_id: productId,
  code: 'yearly',
  name: 'Yearly',
  duration_days: null,
  expiry_basis: 'creation',
  expiry_strategy: 'deny',
  grace_days: 0,
  renewal_basis: 'from_now',
  maintenance_days: null,
  max_activations: null,
  activation_overage_percent: null,
  require_activation: 0,
  lease_seconds: null,
  max_deactivations: null,
  offline_ttl_seconds_max: 60,
  key_prefix: null,
  entitlements_json: '[]',
  metadata_json: '{}',
  created_at: at,
  updated_at: at,
} as const;

/** As it was before 0010: the columns that came later are not there yet. */
const license = (number: number) =>
  ({
    id: newId(),
    product_id: productId,
    policy_id: policyId,
    key: `KEY-${number}`,
    status: 'active',
    holder_name: `Jürgen Smith ${number}`,
    holder_email: 'j.smith@example.com',
    holder_reference: null,
    starts_at: at,
    expires_at: null,
    maintenance_expires_at: null,
    max_activations: null,
    entitlements_json: '[]',
    deactivations_count: 0,
    last_validated_at: null,
    metadata_json: '{"seats":5}',
    created_at: at,
    updated_at: at,
    deleted_at: number % 10 === 0 ? at : null,
  }) as LicensesTable;

async function insertCatalog(tx: TenantTransaction): Promise<void> {
  await tx.insertInto('products').values(product).execute();
  await tx.insertInto('policies').values(policy).execute();
}

const filters = '0009-list-filters';
const before = Object.fromEntries(Object.entries(tenantMigrations).filter(([name]) => name < filters));

test('rows from before there were terms get those that new rows get', async () => {
  const licenses = Array.from({ length: 2_500 }, (_, number) => license(number));
  const old = fresh.open<TenantTables>();
  await migrate(old, before);
  await old.transaction(async (tx) => {
    await insertCatalog(tx);
    for (let start = 0; start < licenses.length; start += 500) {
      await tx
        .insertInto('licenses')
        .values(licenses.slice(start, start + 500))
        .execute();
    }
  });
  await migrate(old, tenantMigrations);
  const termsOf = (db: typeof old) =>
    db.query.selectFrom('search_terms').selectAll().orderBy('term').orderBy('owner_id').execute();
  const migrated = await termsOf(old);

  await old.transaction(async (tx) => {
    await tx.deleteFrom('search_terms').where('owner_id', 'not in', [productId, policyId]).execute();
    await tx.deleteFrom('licenses').execute();
    await createLicenseRows(tx, licenses);
  });
  expect(migrated).toEqual(await termsOf(old));
  const owners = new Set(migrated.map((row) => row.owner_id));
  expect(owners.size).toBe(2 + licenses.filter((row) => row.deleted_at === null).length);
});
