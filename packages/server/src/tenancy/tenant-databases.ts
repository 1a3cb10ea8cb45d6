import type { HeldDatabase, Loader, Snapshot } from '../db/copy/copy.ts';
import type { Database, TenantDb } from '../db/database.ts';
import type { MigrationResult } from '../db/migrations/migrate.ts';
import type { TenantTables } from '../db/tables/tenant-tables.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { Placement } from './placement.ts';

/** The databases of tenants: where they are, how they are made, opened and removed. */
export interface TenantDatabases {
  /** Decides where the database of a new tenant will be. It makes nothing yet. */
  place(tenantId: string): Promise<Placement>;
  /** Makes the empty database of a new tenant. Repeating it completes what an earlier call left half done. */
  create(placement: Placement): Promise<void>;
  /** Brings a new database's schema up to date and writes into it whose it is. It may be repeated. */
  initialise(placement: Placement): Promise<void>;
  /** Opens a tenant's database: checks whose it is and brings its schema up to date. */
  open(placement: Placement): MaybePromise<TenantDb>;
  /** Brings a tenant's database up to date without opening it for anybody. It may be repeated. */
  migrate(placement: Placement): Promise<MigrationResult>;
  /** Opens a tenant's database as it is, neither checked nor migrated: only for a diagnosis of it. */
  connect(placement: Placement): Database<TenantTables>;
  /**
   * Makes a database for a tenant's rows beside the one that it may have: with the schema after the migration
   * `schema`, and still to be filled by `load`. Nobody reaches it until a tenant's row has the placement. `place` is a
   * name out of `places`; without it the database is where a new tenant's would be.
   */
  createBeside(tenantId: string, schema: string, place?: string): Promise<Placement>;
  /** Fills a database that `createBeside` made. */
  load(placement: Placement): Promise<Loader>;
  /** A tenant's database at one moment, neither checked nor migrated. */
  readSnapshot(placement: Placement): Promise<Snapshot>;
  /** A tenant's database as its only writer may read it: readers go on, writers wait. */
  hold(placement: Placement): Promise<HeldDatabase>;
  /** True while a process works with the database, and removing it would be noticed. */
  isInUse(placement: Placement): Promise<boolean>;
  /** Where databases can be: `embedded`, and `host:port` of each server that is configured. */
  readonly places: readonly string[];
  /** Removes a tenant's database; requests that still use it fail. */
  drop(placement: Placement): Promise<void>;
}
