import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { migrate, migrateTo } from '../../src/db/migrations/migrate.ts';
import { tenantMigrations } from '../../src/db/migrations/tenant/index.ts';
import type { ActivationsTable } from '../../src/db/tables/tenant/licenses.ts';
import type { TenantTables } from '../../src/db/tables/tenant-tables.ts';
import { policyRowDefaults } from '../../src/features/licensing/policies/policy.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';

// Rows of version 1.0 that a migration repairs.

const at = '2026-11-20T12:00:00.000000Z';
const later = '2026-11-20T13:00:00.000000Z';
const [composed, decomposed] = ['Bürorechner'.normalize('NFC'), 'Bürorechner'.normalize('NFD')];

let fresh: FreshDatabase;
let db: Database<TenantTables>;

beforeEach(async () => {
  fresh = await freshDatabase();
  db = fresh.open<TenantTables>();
  await migrateTo(db, tenantMigrations, '0020-terms');
  const times = { created_at: at, updated_at: at };
  const product = { id: 'product', code: 'editor', name: 'Editor', description: null, platforms_json: '[]' };
  await db.query
    .insertInto('products')
    .values({ ...product, metadata_json: '{}', archived_at: null, renewal_url: null, trial_policy_id: null, ...times })
    .execute();
  // The columns are newer than the rows.
  const { ends_with_month: _newer, fingerprint_matching: _newest, ...defaults } = policyRowDefaults;
  for (const [id, lease_seconds] of [
    ['floating', 60],
    ['fixed', null],
  ] as const) {
    const named = { id, product_id: 'product', code: id, name: id };
    await db.query
      .insertInto('policies')
      .values({ ...defaults, ...named, lease_seconds, ...times } as never)
      .execute();
    const license = { id: `${id}-license`, product_id: 'product', policy_id: id, key: id, status: 'active' as const };
    const empty = { entitlements_json: '[]', metadata_json: '{}', deactivations_count: 0, starts_at: at };
    await db.query
      .insertInto('licenses')
      .values({ ...license, ...empty, ...times } as never)
      .execute();
  }
});

afterEach(() => fresh.remove());

async function insertActivation(id: string, fields: Partial<ActivationsTable>): Promise<void> {
  const device = { name: null, hostname: null, platform: null, ip: null, metadata_json: '{}' };
  const state = { last_heartbeat_at: at, lease_expires_at: null, released_at: null, release_reason: null };
  const row = { id, license_id: 'fixed-license', fingerprint: id, created_at: at, ...device, ...state, ...fields };
  await db.query.insertInto('activations').values(row).execute();
}

const activations = () => db.query.selectFrom('activations').selectAll().orderBy('id').execute();

test('after the upgrade, active devices have the lease of their policy, or none', async () => {
  const end = '2126-01-01T00:00:00.000000Z';
  await insertActivation('a-dead', { license_id: 'floating-license' });
  await insertActivation('b-alive', { license_id: 'floating-license', lease_expires_at: end });
  await insertActivation('c-left', { license_id: 'floating-license', released_at: at, release_reason: 'deactivated' });
  await insertActivation('d-ended', { lease_expires_at: at });
  await insertActivation('e-ending', { lease_expires_at: end });
  await migrate(db, tenantMigrations);
  const ends = (await activations()).map(({ lease_expires_at }) => lease_expires_at);
  expect(ends).toEqual([expect.any(String), end, null, at, null]);
  expect(Date.parse(ends[0] ?? '') - Date.now()).toBeLessThanOrEqual(60_000);
});

test('after the upgrade, a device is found in every spelling of its fingerprint, and holds one seat', async () => {
  const { query } = db;
  await insertActivation('a', { fingerprint: decomposed, last_heartbeat_at: later });
  await insertActivation('b', { fingerprint: composed });
  await insertActivation('c', { fingerprint: decomposed, license_id: 'floating-license' });
  await insertActivation('d', { fingerprint: decomposed, released_at: at, release_reason: 'deactivated' });
  await query.updateTable('plan_use').set({ used: 3 }).where('resource', '=', 'activations').execute();
  const trial = {
    product_id: 'product',
    license_id: 'fixed-license',
    is_first: 1 as const,
    started_at: at,
    converted_at: null,
  };
  const rows = [
    { ...trial, id: 'a', fingerprint: composed, email_key: null },
    { ...trial, id: 'b', fingerprint: decomposed, email_key: 'ada@example.com' },
    { ...trial, id: 'c', fingerprint: `${decomposed} 2`, email_key: null },
  ] as const;
  await query.insertInto('trials').values(rows).execute();
  await migrate(db, tenantMigrations);
  expect(await activations()).toMatchObject([
    { fingerprint: composed, released_at: null },
    { fingerprint: composed, release_reason: 'deactivated' },
    { fingerprint: composed, released_at: null },
    { fingerprint: composed, released_at: at },
  ]);
  const { used } = await query
    .selectFrom('plan_use')
    .select('used')
    .where('resource', '=', 'activations')
    .executeTakeFirstOrThrow();
  expect(Number(used)).toBe(2);
  const trials = await query.selectFrom('trials').selectAll().orderBy('id').execute();
  // Both trials of the device are remembered: one by the device, the other by its address.
  expect(trials.map(({ fingerprint }) => fingerprint)).toEqual([composed, decomposed, `${composed} 2`]);
});
