import { onPlatform } from './endpoints.ts';
import type { components } from './schema.gen.ts';

export type FeatureFlag = components['schemas']['FeatureFlag'];
export type FeatureFlagTrial = components['schemas']['FeatureFlagTrial'];

/** Reads one page of the feature flags, newest first. */
export const flagsQuery = onPlatform.list('/api/v1/admin/feature-flags', ['feature-flags', 'list']);

/** Reads a feature flag. */
export const flagQuery = onPlatform.one('/api/v1/admin/feature-flags/{id}', ['feature-flags']);

export const createFlag = onPlatform.POST('/api/v1/admin/feature-flags');

/** Changes a flag. */
export const updateFlag = onPlatform.PUT('/api/v1/admin/feature-flags/{id}');

/** Deletes a flag. */
export const deleteFlag = onPlatform.DELETE('/api/v1/admin/feature-flags/{id}');

/** Evaluates a definition for a tenant without storing it. */
export const tryFlag = onPlatform.POST('/api/v1/admin/feature-flags/try');
