import { dataOf } from './body.ts';
import { onPlatform } from './endpoints.ts';
import { platformApi } from './platform.ts';
import type { components } from './schema.gen.ts';

export type FeatureFlag = components['schemas']['FeatureFlag'];
export type FeatureFlagTrial = components['schemas']['FeatureFlagTrial'];

/** Reads one page of the feature flags, newest first. */
export const flagsQuery = onPlatform.list('/api/v1/admin/feature-flags', ['feature-flags', 'list']);

/** Reads a feature flag. */
export const flagQuery = onPlatform.one('/api/v1/admin/feature-flags/{id}', ['feature-flags']);

/** Creates a flag, or changes the flag with the id. */
export function saveFlag(
  id: string | undefined,
  body: components['schemas']['CreateFeatureFlag'],
): Promise<FeatureFlag> {
  if (id === undefined) return dataOf(platformApi().POST('/api/v1/admin/feature-flags', { body }));
  return dataOf(platformApi().PUT('/api/v1/admin/feature-flags/{id}', { params: { path: { id } }, body }));
}

/** Deletes a flag. */
export const deleteFlag = onPlatform.DELETE('/api/v1/admin/feature-flags/{id}');

/** Evaluates a definition for a tenant without storing it. */
export const tryFlag = onPlatform.POST('/api/v1/admin/feature-flags/try');
