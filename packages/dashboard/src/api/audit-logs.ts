import type { Surface } from '../surfaces.ts';
import { bodyOf } from './body.ts';
import { apiOf } from './client.ts';
import { onPlatform, onSurface } from './endpoints.ts';
import { platformApi, platformKey } from './platform.ts';
import { keyOf, listQuery } from './query-client.ts';
import type { components, operations } from './schema.gen.ts';

export type AuditRecord = components['schemas']['AuditRecord'];
/** The filters of a tenant's log and of the platform's. */
export type AuditFilters = NonNullable<operations['listAuditLogs']['parameters']['query']> &
  NonNullable<operations['adminListAuditLogs']['parameters']['query']>;

/** A later page does not change. */
const listOptions = ({ cursor }: AuditFilters) => ({
  refetchInterval: cursor === undefined ? 10_000 : (false as const),
});

/** Reads one page of the tenant's audit log, newest first. */
export function auditLogsQuery(surface: Surface, filters: AuditFilters) {
  return listQuery(
    keyOf(surface, 'audit-logs', filters),
    () => bodyOf(apiOf(surface).GET('/api/v1/tenant/audit-logs', { params: { query: filters } })),
    listOptions(filters),
  );
}

/** Reads every record of the tenant that matches the filters, as a file. */
export const exportAuditLogs = onSurface.file('/api/v1/tenant/audit-logs/export');

/** Reads one page of the platform's audit log, newest first. */
export function platformAuditQuery(filters: AuditFilters) {
  return listQuery(
    platformKey('audit', filters),
    () => bodyOf(platformApi().GET('/api/v1/admin/audit', { params: { query: filters } })),
    listOptions(filters),
  );
}

/** Reads every record of the platform that matches the filters, as a file. */
export const exportPlatformAudit = onPlatform.file('/api/v1/admin/audit/export');
