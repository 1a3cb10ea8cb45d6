import { CompiledQuery } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { tenantMigrations } from '../../src/db/migrations/tenant/index.ts';
import { compileRead } from '../../src/db/prepared.ts';
import type { TenantTables } from '../../src/db/tables/tenant-tables.ts';
import { findForValidation } from '../../src/features/licensing/validation/queries.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';

let fresh: FreshDatabase;
let db: Database<TenantTables>;

beforeAll(async () => {
  fresh = await freshDatabase();
  db = fresh.open<TenantTables>();
  await migrate(db, tenantMigrations);
});

afterAll(() => fresh.remove());

test('seats are counted in the index of fingerprints, and the first lease is the first entry of an index', async () => {
  const { sql, bind } = compileRead('sqlite', db.query, findForValidation);
  const explained = CompiledQuery.raw(`explain query plan ${sql}`, [...bind(['KEY', 'fingerprint', '2026-11-20'])]);
  const { rows } = await db.query.executeQuery<{ detail: string }>(explained);
  const plan = rows.map(({ detail }) => detail);
  expect(plan.filter((detail) => detail.startsWith('SCAN'))).toEqual(['SCAN settings']);
  const counted = plan.filter((detail) => detail.startsWith('SEARCH counted'));
  expect(counted[0]).toContain('activations_license_id_fingerprint_unique (license_id=? AND fingerprint>?)');
  const leased = plan.filter((detail) => detail.startsWith('SEARCH leased'));
  expect(leased).toHaveLength(2);
  for (const detail of leased) expect(detail).toContain('activations_open_lease_expires_at');
});
