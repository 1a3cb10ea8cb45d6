import type { Kysely } from 'kysely';
import { createChangeMark, watchTables } from '../change-mark.ts';

const watched = [
  'tenant_identity',
  'products',
  'policies',
  'licenses',
  'activations',
  'signing_keys',
  'settings',
  'entitlements',
  'entitlement_references',
  'usage_totals',
  'imported_resources',
];

/** Raises the change mark of a PostgreSQL database with each change that a verdict may depend on. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await createChangeMark(db);
  await watchTables(db, watched);
}
