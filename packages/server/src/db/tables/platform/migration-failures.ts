import type { Timestamp } from '../../../lib/clock.ts';

/**
 * The last failure of a tenant's migration, for `licensing doctor`. It says nothing about a tenant whose database has
 * the schema of `migration` meanwhile.
 */
export interface MigrationFailuresTable {
  tenant_id: string;
  /** The newest migration of the version that failed. */
  migration: string;
  error: string;
  /** The consecutive failures in the process that failed last. */
  failures: number;
  failed_at: Timestamp;
  /** When that process tries again. */
  retry_at: Timestamp;
}
