import type { Timestamp } from '../../../lib/clock.ts';

/** Feature flags, in the platform database. */
export interface FeatureFlagTables {
  feature_flags: FeatureFlagsTable;
  feature_flag_set: FeatureFlagSetTable;
}

export interface FeatureFlagsTable {
  id: string;
  /** Unique: what applications ask for. */
  key: string;
  description: string | null;
  /** A flag in flagd's own words. */
  definition_json: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** One row (`id` = 1): the state of all flags together. */
export interface FeatureFlagSetTable {
  id: number;
  /** Another one after every change of any flag, and never one that was there before. */
  revision: string;
}
