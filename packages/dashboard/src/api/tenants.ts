import { queryOptions } from '@tanstack/react-query';
import { dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';

const platform = { area: 'admin', tenantId: null } as const;

/** Reads one tenant as admins see it. */
export function tenantQuery(tenantId: string) {
  return queryOptions({
    queryKey: keyOf(platform, 'tenants', tenantId),
    queryFn: () => dataOf(apiOf(platform).GET('/api/v1/admin/tenants/{id}', { params: { path: { id: tenantId } } })),
  });
}
