import { type Kysely, type SqlBool, sql } from 'kysely';
import { licenseTerms, policyTerms, productTerms } from '../../search/index-terms.ts';
import type { TenantTables } from '../../tables/tenant-tables.ts';
import { indexAuditFilters } from '../audit-logs.ts';
import { createSearchTerms, index, partialIndex } from '../schema.ts';
import { fillSearchTerms } from '../search-terms.ts';

async function indexLicenses(db: Kysely<TenantTables>): Promise<void> {
  // Ranges of these two are gathered and sorted; the columns behind the moment save the look at the license.
  await index(db, 'licenses', ['expires_at', 'status', 'created_at', 'id']);
  await index(db, 'licenses', ['starts_at', 'status', 'created_at', 'id']);
  for (const column of ['holder_email', 'holder_reference']) {
    const isGiven = sql<SqlBool>`${sql.ref(column)} is not null`;
    await partialIndex(db, `licenses_${column}`, 'licenses', [column, 'created_at', 'id'], isGiven);
  }
}

async function indexActivations(db: Kysely<TenantTables>): Promise<void> {
  const newestFirst = ['created_at', 'id'];
  await index(db, 'activations', ['fingerprint', 'created_at', 'id']);
  await partialIndex(db, 'activations_held', 'activations', newestFirst, sql<SqlBool>`released_at is null`);
  const isDeactivated = sql<SqlBool>`release_reason in ('deactivated', 'license_deleted')`;
  await partialIndex(db, 'activations_deactivated', 'activations', newestFirst, isDeactivated);
  const isClosed = sql<SqlBool>`release_reason = 'lease_expired'`;
  await partialIndex(db, 'activations_lease_expired', 'activations', newestFirst, isClosed);
}

/** What answers the filters of lists: indexes, and the terms of text searches. */
export async function up(db: Kysely<TenantTables>): Promise<void> {
  await index(db, 'policies', ['product_id', 'created_at', 'id']);
  await index(db, 'policies', ['code', 'created_at', 'id']);
  await indexLicenses(db);
  await indexActivations(db);
  await indexAuditFilters(db);
  await createSearchTerms(db);
  await fillSearchTerms(db, 'products', productTerms);
  await fillSearchTerms(db, 'policies', policyTerms);
  await fillSearchTerms(db, 'licenses', licenseTerms);
}
