import type { Kysely } from 'kysely';
import { tenantTerms } from '../../search/index-terms.ts';
import type { PlatformTables } from '../../tables/platform-tables.ts';
import { indexAuditFilters } from '../audit-logs.ts';
import { createSearchTerms, index } from '../schema.ts';
import { fillSearchTerms } from '../search-terms.ts';

/** What answers the filters of lists: indexes, and the terms of text searches. */
export async function up(db: Kysely<PlatformTables>): Promise<void> {
  await index(db, 'api_keys', ['tenant_id', 'status', 'created_at', 'id']);
  await indexAuditFilters(db);
  await createSearchTerms(db);
  await fillSearchTerms(db, 'tenants', tenantTerms);
}
