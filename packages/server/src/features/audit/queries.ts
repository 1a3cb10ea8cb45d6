import type { Kysely } from 'kysely';
import type { Static } from 'typebox';
import type { PlatformDb, TenantDb } from '../../db/database.ts';
import type { AuditLogsTable } from '../../db/tables.ts';
import { paginate, toPage } from '../../http/cursor.ts';
import type { Page } from '../../http/envelope.ts';
import { toStoredTimestamp } from '../../http/timestamp.ts';
import type { WithAuditLogs } from './audit.ts';
import type { AuditQuery, AuditRecord } from './schemas.ts';

type AuditFilters = Static<typeof AuditQuery>;

const equalFilters = ['event', 'actor_type', 'actor_id', 'resource_type', 'resource_id', 'request_id'] as const;

/** One page of an audit log, newest first: a tenant's or the platform's own. */
export async function listAuditRecords(
  db: TenantDb | PlatformDb,
  filters: AuditFilters,
): Promise<Page<Static<typeof AuditRecord>>> {
  // Both databases have the same audit table; through either type the query is the same.
  let query = (db.query as unknown as Kysely<WithAuditLogs>).selectFrom('audit_logs').selectAll();
  for (const column of equalFilters) {
    const value = filters[column];
    if (value !== undefined) query = query.where(column, '=', value);
  }
  if (filters.from !== undefined) query = query.where('occurred_at', '>=', toStoredTimestamp(filters.from));
  if (filters.to !== undefined) query = query.where('occurred_at', '<', toStoredTimestamp(filters.to));
  const page = toPage(await paginate(query, filters, 'occurred_at').execute(), filters.limit, 'occurred_at');
  return { ...page, rows: page.rows.map(presentAuditRecord) };
}

function presentAuditRecord({ changes_json, ...row }: AuditLogsTable): Static<typeof AuditRecord> {
  return { ...row, changes: JSON.parse(changes_json) };
}
