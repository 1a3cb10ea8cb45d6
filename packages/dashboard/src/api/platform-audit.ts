import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { bodyOf } from './body.ts';
import { platformApi, platformKey } from './platform.ts';
import type { operations } from './schema.gen.ts';

type PlatformAuditFilters = NonNullable<operations['adminListAuditLogs']['parameters']['query']>;
type ExportFilters = NonNullable<operations['adminExportAuditLogs']['parameters']['query']>;

/** Reads one page of the platform's audit log, newest first. */
export function platformAuditQuery(filters: PlatformAuditFilters) {
  return queryOptions({
    queryKey: platformKey('audit', filters),
    queryFn: () => bodyOf(platformApi().GET('/api/v1/admin/audit', { params: { query: filters } })),
    placeholderData: keepPreviousData,
    // A later page does not change.
    refetchInterval: filters.cursor === undefined ? 10_000 : false,
  });
}

/** Reads every record that matches the filters, as a file. */
export async function exportPlatformAudit(query: ExportFilters): Promise<Blob> {
  return await bodyOf(platformApi().GET('/api/v1/admin/audit/export', { params: { query }, parseAs: 'blob' }));
}
