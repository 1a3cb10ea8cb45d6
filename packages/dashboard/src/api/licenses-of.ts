import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { bodyOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';

/** Reads the newest licenses of a product or of a policy. */
export function licensesOfQuery(
  surface: Surface,
  filter: { readonly product_id: string } | { readonly policy_id: string },
) {
  const query = { ...filter, limit: 10 };
  return queryOptions({
    queryKey: keyOf(surface, 'licenses', 'of', query),
    queryFn: () => bodyOf(apiOf(surface).GET('/api/v1/tenant/licenses', { params: { query } })),
  });
}

/** Reads the licenses that a filter offers: the newest, or those that match the words. */
export function licenseOptionsQuery(surface: Surface, q: string) {
  const query = { limit: 20, ...(q !== '' && { q }) };
  return queryOptions({
    queryKey: keyOf(surface, 'licenses', 'options', query),
    queryFn: () => bodyOf(apiOf(surface).GET('/api/v1/tenant/licenses', { params: { query } })),
  });
}
