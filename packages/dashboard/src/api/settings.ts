import { queryOptions } from '@tanstack/react-query';
import type { Surface, SurfaceId } from '../surfaces.ts';
import { dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

/** Reads the settings of the surface's tenant. */
export function settingsQuery(surface: SurfaceId) {
  return queryOptions({
    queryKey: keyOf(surface, 'settings'),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/settings')),
    staleTime: 5 * 60_000,
  });
}

export type Settings = components['schemas']['Settings'];
export type UpdateSettings = components['schemas']['UpdateSettings'];

/** Changes the settings that `body` contains. */
export function updateSettings(surface: Surface, body: UpdateSettings) {
  return dataOf(apiOf(surface).PUT('/api/v1/tenant/settings', { body }));
}
