import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { platformApi, platformKey } from './platform.ts';

/** Deletes a tenant of the demo. */
export function removeDemoData(surface: Surface) {
  return dataOf(apiOf(surface).DELETE('/api/v1/tenant/demo-data'));
}

/** Reads whether the installation has demo data. */
export function platformDemoDataQuery() {
  return queryOptions({
    queryKey: platformKey('demo-data'),
    queryFn: () => dataOf(platformApi().GET('/api/v1/admin/demo-data')),
    staleTime: 5 * 60_000,
  });
}

/** Deletes the demo's tenants. */
export function removePlatformDemoData() {
  return dataOf(platformApi().DELETE('/api/v1/admin/demo-data'));
}
