import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

/** What a developer needs for an integration. */
export type DeveloperSnapshot = components['schemas']['DeveloperSnapshot'];

/** Reads the snapshot for developers; failed requests appear by themselves. */
export function snapshotQuery(surface: Surface) {
  return queryOptions({
    queryKey: keyOf(surface, 'dev-tools'),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/dev-tools/snapshot')),
    refetchInterval: 10_000,
  });
}
