import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';

/** Reads the settings of the surface's tenant. */
export function settingsQuery(surface: Surface) {
  return queryOptions({
    queryKey: keyOf(surface, 'settings'),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/settings')),
    staleTime: 5 * 60_000,
  });
}
