import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { bodyOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';
import type { components, operations } from './schema.gen.ts';

export type AuditRecord = components['schemas']['AuditRecord'];
export type AuditFilters = NonNullable<operations['listAuditLogs']['parameters']['query']>;
type ExportFilters = NonNullable<operations['exportAuditLogs']['parameters']['query']>;

/** Reads one page of the tenant's audit log, newest first. */
export function auditLogsQuery(surface: Surface, filters: AuditFilters) {
  return queryOptions({
    queryKey: keyOf(surface, 'audit-logs', filters),
    queryFn: () => bodyOf(apiOf(surface).GET('/api/v1/tenant/audit-logs', { params: { query: filters } })),
    placeholderData: keepPreviousData,
    // A later page does not change.
    refetchInterval: filters.cursor === undefined ? 10_000 : false,
  });
}

/** Reads every record that matches the filters, as a file. */
export async function exportAuditLogs(surface: Surface, query: ExportFilters): Promise<Blob> {
  return await bodyOf(apiOf(surface).GET('/api/v1/tenant/audit-logs/export', { params: { query }, parseAs: 'blob' }));
}
