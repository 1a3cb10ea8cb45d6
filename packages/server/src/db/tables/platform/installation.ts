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
  /** Fingerprint of its application key; null for a node of an earlier version. */
  app_key_fingerprint: string | null;
}

/** A former application key, which stored secrets may still need. */
export interface AppKeysTable {
  fingerprint: string;
  /** When it was noted that secrets may need it: when it was replaced, and at each later import of a tenant. */
  noted_at: Timestamp;
  /** When another key replaced it, or when it was first configured as a previous key. */
  replaced_at: Timestamp;
  /** About how many secrets it sealed then; after `licensing keys reseal`, how many could not be sealed again. */
  secrets: number;
  /** When no secret needed it any more; null while one may. */
  resealed_at: Timestamp | null;
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
