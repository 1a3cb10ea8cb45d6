import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { platformApi, platformKey } from './platform.ts';
import { keyOf } from './query-client.ts';

/** Reads whether the tenant has demo data. */
export function demoDataQuery(surface: Surface) {
  return queryOptions({
    queryKey: keyOf(surface, 'demo-data'),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/demo-data')),
    staleTime: 5 * 60_000,
  });
}

/** Removes what the demo created in the tenant. */
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

/** Removes the demo's tenants, and the demo data of other tenants. */
export function removePlatformDemoData() {
  return dataOf(platformApi().DELETE('/api/v1/admin/demo-data'));
}
