import type { Loader, MigrationGuard, Snapshot } from '../db/archive/tables.ts';
import type { Database, TenantDb, TenantTransaction } from '../db/database.ts';
import type { MigrationResult } from '../db/migrations/migrate.ts';
import type { TenantTables } from '../db/tables/tenant-tables.ts';
import type { Placement } from './placement.ts';

/** Where `createBeside` creates a database. */
export interface MoveTarget {
  /** One of `places`. */
  readonly place: string;
  /** See `databaseGeneration`. It is a part of the database's name. */
  readonly generation: string;
}

/** Places, creates, opens, migrates and removes the databases of tenants, on one or more engines. */
export interface TenantDatabases {
  /** Decides where the database of a new tenant will be. Creates nothing. */
  place(tenantId: string): Promise<Placement>;
  /** Creates the empty database of a new tenant. Idempotent: a second call completes an interrupted one. */
  create(placement: Placement): Promise<void>;
  /** Migrates a new database to the current schema and stores its tenant's id in it. Idempotent. */
  initialise(placement: Placement): Promise<void>;
  /** Opens a tenant's database after verifying its tenant's id and migrating it to the current schema. */
  open(placement: Placement): Promise<TenantDb>;
  /** Migrates a tenant's database to the current schema and closes it again. Idempotent. */
  migrate(placement: Placement): Promise<MigrationResult>;
  /** Opens a tenant's database without verifying or migrating it. Only for diagnosis. */
  connect(placement: Placement): Database<TenantTables>;
  /**
   * Creates a second database for a tenant, beside the one it may already have, with the schema as of the migration
   * `schema`. `load` then fills it. The database is unreachable until a tenant's row has the returned placement.
   * The default for `target` is the place of a new tenant, and a new generation.
   */
  createBeside(tenantId: string, schema: string, target?: MoveTarget): Promise<Placement>;
  /** Removes the database of this generation of a tenant from every place, if `createBeside` created it. */
  dropGeneration(tenantId: string, generation: string): Promise<void>;
  /** Opens a database that `createBeside` created, for loading rows in bulk. */
  load(placement: Placement): Promise<Loader>;
  /** Opens a consistent snapshot of a tenant's database, without verifying or migrating it. */
  readSnapshot(placement: Placement): Promise<Snapshot>;
  /** Keeps migrations of a tenant's database from starting until the result is closed. */
  guardMigrations(placement: Placement): Promise<MigrationGuard>;
  /** Returns true while a process uses the database such that removing it would make its work fail. */
  isInUse(placement: Placement): Promise<boolean>;
  /** Returns the size of a tenant's database in bytes, without opening the database. */
  sizeOf(placement: Placement): Promise<number>;
  /** The places where databases can be: `embedded`, and the `host:port` of each configured server. */
  readonly places: readonly string[];
  /** Removes a tenant's database. Requests that still use it fail. */
  drop(placement: Placement): Promise<void>;
}

/**
 * Inserts the rows that every tenant's database contains, where they are missing. It runs in the transaction that
 * creates or migrates the schema, whoever creates or migrates it. Idempotent.
 */
export type SeedTenant = (tx: TenantTransaction) => Promise<void>;
