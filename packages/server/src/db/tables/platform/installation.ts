import type { Timestamp } from '../../../lib/clock.ts';

/** One row (`id` = 1): facts of this installation. */
export interface InstanceTable {
  id: number;
  /** Fingerprint of the application key, so that a start with a wrong key is refused. */
  app_key_fingerprint: string;
  created_at: Timestamp;
  /** When the newest complete backup of this installation began, for the metrics; null without one. */
  last_backup_at: Timestamp | null;
}

/** A running process of `serve`. It renews its row and removes it when it stops. */
export interface NodesTable {
  id: string;
  /** Its machine and process, for messages. */
  name: string;
  /** A JSON array: the places whose tenants it can open, `embedded` and the `host:port` of servers. */
  places_json: string;
  started_at: Timestamp;
  /** A node that did not renew its row until then has died. */
  expires_at: Timestamp;
}

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

/** A row of the platform that the demo created, such as one of its tenants. */
export interface DemoRowsTable {
  table_name: string;
  row_id: string;
  /** Null. Earlier versions also recorded every row inside of a tenant. */
  tenant_id: string | null;
}
