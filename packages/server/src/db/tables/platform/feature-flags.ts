import type { Timestamp } from '../../../lib/clock.ts';

/** Feature flags, in the platform database. */
export interface FeatureFlagTables {
  feature_flags: FeatureFlagsTable;
  feature_flag_set: FeatureFlagSetTable;
}

/** A feature flag. */
export interface FeatureFlagsTable {
  id: string;
  /** The unique name that applications use. */
  key: string;
  description: string | null;
  /** The flag's definition in the format of flagd. */
  definition_json: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** One row (`id` = 1) about all flags together. */
export interface FeatureFlagSetTable {
  id: number;
  /** A value that changes with every change of any flag and never repeats. */
  revision: string;
}
