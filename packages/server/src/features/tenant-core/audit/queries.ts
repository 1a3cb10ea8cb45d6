import type { Kysely, SelectQueryBuilder } from 'kysely';
import type { Static } from 'typebox';
import type { PlatformDb, TenantDb } from '../../../db/database.ts';
import { eventGroup } from '../../../db/dialect.ts';
import type { AuditLogsTable } from '../../../db/tables/shared-tables.ts';
import { paginate, toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import { idOrText } from '../../../lib/ids.ts';
import type { WithAuditLogs } from './audit.ts';
import type { AuditQuery, AuditRecord, PlatformAuditQuery } from './schemas.ts';

type AuditFilters = Static<typeof AuditQuery>;
type PlatformAuditFilters = Static<typeof PlatformAuditQuery>;
/** An audit record without the name of its actor, which is not stored. */
export type StoredRecord = Omit<Static<typeof AuditRecord>, 'actor_name' | 'resource_name'>;
type AuditRows = SelectQueryBuilder<WithAuditLogs, 'audit_logs', AuditLogsTable>;

const equalFilters = ['event', 'actor_type', 'actor_id', 'resource_type', 'resource_id', 'request_id', 'ip'] as const;

/** Returns one page of a tenant's audit log, newest first. */
export function listAuditRecords(db: TenantDb, filters: AuditFilters): Promise<Page<StoredRecord>> {
  return readPage(auditRows(db), filters);
}

/**
 * Returns one page of the platform's audit log, newest first. An `event` that ends with a dot matches all its codes.
 */
export function listPlatformAuditRecords(
  db: PlatformDb,
  { event, ...filters }: PlatformAuditFilters,
): Promise<Page<StoredRecord>> {
  const rows = auditRows(db);
  if (event === undefined) return readPage(rows, filters);
  if (!event.endsWith('.')) return readPage(rows, { ...filters, event });
  return readPage(rows.where(eventGroup(db.query, 'event'), '=', event), filters);
}

/** Both databases have the same audit log table, so one query type serves both. */
function auditRows(db: TenantDb | PlatformDb): AuditRows {
  return (db.query as unknown as Kysely<WithAuditLogs>).selectFrom('audit_logs').selectAll();
}

async function readPage(rows: AuditRows, filters: PlatformAuditFilters): Promise<Page<StoredRecord>> {
  let query = rows;
  for (const column of equalFilters) {
    const value = filters[column];
    if (value !== undefined) query = query.where(column, '=', idOrText(value));
  }
  if (filters.from !== undefined) query = query.where('occurred_at', '>=', toStoredTimestamp(filters.from));
  if (filters.to !== undefined) query = query.where('occurred_at', '<', toStoredTimestamp(filters.to));
  const page = toPage(await paginate(query, filters, 'occurred_at').execute(), filters.limit, 'occurred_at');
  return { ...page, rows: page.rows.map(presentAuditRecord) };
}

function presentAuditRecord({ changes_json, ...row }: AuditLogsTable): StoredRecord {
  return { ...row, changes: JSON.parse(changes_json) };
}
