import { queryOptions } from '@tanstack/react-query';
import { bodyOf, dataOf } from './body.ts';
import { platformApi, platformKey } from './platform.ts';
import { listQuery } from './query-client.ts';
import type { components, operations } from './schema.gen.ts';

export type FeatureFlag = components['schemas']['FeatureFlag'];
export type FeatureFlagTrial = components['schemas']['FeatureFlagTrial'];
type FlagFilters = NonNullable<operations['adminListFeatureFlags']['parameters']['query']>;

/** Reads one page of the feature flags, newest first. */
export function flagsQuery(filters: FlagFilters) {
  return listQuery(platformKey('feature-flags', 'list', filters), () =>
    bodyOf(platformApi().GET('/api/v1/admin/feature-flags', { params: { query: filters } })),
  );
}

/** Reads a feature flag. */
export function flagQuery(id: string) {
  return queryOptions({
    queryKey: platformKey('feature-flags', id),
    queryFn: () => dataOf(platformApi().GET('/api/v1/admin/feature-flags/{id}', { params: { path: { id } } })),
  });
}

/** Creates a flag, or changes the flag with the id. */
export function saveFlag(
  id: string | undefined,
  body: components['schemas']['CreateFeatureFlag'],
): Promise<FeatureFlag> {
  if (id === undefined) return dataOf(platformApi().POST('/api/v1/admin/feature-flags', { body }));
  return dataOf(platformApi().PUT('/api/v1/admin/feature-flags/{id}', { params: { path: { id } }, body }));
}

/** Deletes a flag. */
export function deleteFlag(id: string) {
  return dataOf(platformApi().DELETE('/api/v1/admin/feature-flags/{id}', { params: { path: { id } } }));
}

/** Evaluates a definition for a tenant without storing it. */
export function tryFlag(body: components['schemas']['TryFeatureFlag']): Promise<FeatureFlagTrial> {
  return dataOf(platformApi().POST('/api/v1/admin/feature-flags/try', { body }));
}
