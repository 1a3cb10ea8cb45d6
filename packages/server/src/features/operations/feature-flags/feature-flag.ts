import type { FeatureFlagsTable } from '../../../db/tables/platform/feature-flags.ts';
import type { FeatureFlag } from './schemas.ts';

/** Returns a flag as admins see it, with its definition parsed. */
export function presentFlag({ definition_json, created_at, updated_at, ...rest }: FeatureFlagsTable): FeatureFlag {
  return { ...rest, definition: JSON.parse(definition_json), created_at, updated_at };
}
