import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { connectionsKey, liveMs } from './connections.ts';
import { listQuery } from './query-client.ts';
import type { components, operations } from './schema.gen.ts';

export type Comparison = components['schemas']['Comparison'];
export type Difference = components['schemas']['ComparisonDifference'];
type DifferenceFilters = NonNullable<operations['listDifferences']['parameters']['query']>;

/** Reads the newest comparisons of a connection. */
export function comparisonsQuery(surface: Surface, id: string) {
  const params = { path: { id }, query: { limit: 10 } };
  return queryOptions({
    queryKey: [...connectionsKey(surface), id, 'comparisons', 'list'],
    queryFn: () => bodyOf(apiOf(surface).GET('/api/v1/tenant/connections/{id}/comparisons', { params })),
    refetchInterval: liveMs,
  });
}

/** Reads one comparison. */
export function comparisonQuery(surface: Surface, id: string, comparison_id: string) {
  const params = { path: { id, comparison_id } };
  return queryOptions({
    queryKey: [...connectionsKey(surface), id, 'comparisons', comparison_id],
    queryFn: () =>
      dataOf(apiOf(surface).GET('/api/v1/tenant/connections/{id}/comparisons/{comparison_id}', { params })),
    refetchInterval: 1_500,
  });
}

/** Reads one page of what a comparison found. */
export function differencesQuery(surface: Surface, id: string, comparison_id: string, query: DifferenceFilters) {
  const params = { path: { id, comparison_id }, query };
  return listQuery(
    [...connectionsKey(surface), id, 'comparisons', comparison_id, 'differences', query],
    () =>
      bodyOf(apiOf(surface).GET('/api/v1/tenant/connections/{id}/comparisons/{comparison_id}/differences', { params })),
    { refetchInterval: liveMs },
  );
}

/** Begins to compare the shop's sales with those that are known here. */
export function startComparison(surface: Surface, id: string) {
  return dataOf(apiOf(surface).POST('/api/v1/tenant/connections/{id}/comparisons', { params: { path: { id } } }));
}

/** Applies one difference. */
export function applyDifference(surface: Surface, id: string, comparison_id: string, difference_id: string) {
  const params = { path: { id, comparison_id, difference_id } };
  return dataOf(
    apiOf(surface).POST(
      '/api/v1/tenant/connections/{id}/comparisons/{comparison_id}/differences/{difference_id}/apply',
      { params },
    ),
  );
}

/** Ends a comparison, or stops it while it applies what it has found. */
export function cancelComparison(surface: Surface, id: string, comparison_id: string) {
  const params = { path: { id, comparison_id } };
  return dataOf(apiOf(surface).POST('/api/v1/tenant/connections/{id}/comparisons/{comparison_id}/cancel', { params }));
}

/** Applies every open difference of a comparison. */
export function applyComparison(surface: Surface, id: string, comparison_id: string) {
  const params = { path: { id, comparison_id } };
  return dataOf(apiOf(surface).POST('/api/v1/tenant/connections/{id}/comparisons/{comparison_id}/apply', { params }));
}
