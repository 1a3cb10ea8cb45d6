import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { bodyOf } from './body.ts';
import { platformApi, platformKey } from './platform.ts';
import type { operations } from './schema.gen.ts';

type PlatformAuditFilters = NonNullable<operations['adminListAuditLogs']['parameters']['query']>;

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
