import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { PlatformTables } from './tables/platform-tables.ts';
import type { TenantTables } from './tables/tenant-tables.ts';

/** The engines: embedded SQLite, and PostgreSQL. */
export type Engine = 'sqlite' | 'postgres';
/** The values that both engines accept as parameters. Flags are 0 and 1. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/**
 * A query that is compiled once per process and prepared once per connection. In `build`, `parameter(n)` is the
 * placeholder of the n-th argument of `first`. The query may also contain constants.
 */
export interface PreparedRead<Tables, Row> {
  /** Unique within the process; also the statement's name on PostgreSQL. */
  readonly name: string;
  readonly build: (db: Kysely<Tables>, parameter: (index: number) => string) => { compile(): CompiledQuery<Row> };
}

/** How a transaction runs. */
export interface TransactionOptions {
  /**
   * True for a migration: its statements disable the server's timeouts, and this process sets no timeout either. On
   * SQLite it is a bulk transaction if the file is large.
   */
  readonly mayTakeLong?: boolean;
  /**
   * True for values that a later request repeats, such as `last_used_at`: if the machine loses power, those of the last
   * seconds may be lost. On SQLite the commit then does not wait for the disk, which would block the process. No effect on
   * PostgreSQL.
   */
  readonly mayLoseChanges?: boolean;
}

/** An open database on one of the two engines. */
export interface Database<Tables> {
  readonly engine: Engine;
  /** For single statements, each in its own transaction. On SQLite they wait while a transaction is open. */
  readonly query: Kysely<Tables>;
  /**
   * Runs `work` in one transaction: `BEGIN IMMEDIATE` on SQLite, read committed on PostgreSQL (lock rows with
   * `forUpdate(query)` before deciding on them). Rolls back when `work` throws. `work` must await nothing but `tx`.
   */
  transaction<Result>(
    work: (tx: Transaction<Tables>) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /**
   * Like `transaction`, for many statements that may take minutes. Reads outside it, prepared or not, continue and do
   * not see its changes before it commits. On SQLite it runs in a thread, and other writers of this process wait until
   * it ends. On PostgreSQL only other bulk transactions wait, including those of other processes.
   */
  bulkTransaction<Result>(work: (tx: Transaction<Tables>) => Promise<Result>): Promise<Result>;
  /** Returns the first row of a prepared read. On SQLite it runs together with those of other requests, before the next poll. */
  first<Row>(read: PreparedRead<Tables, Row>, args: readonly SqlValue[]): Promise<Row | undefined>;
  /**
   * Removes all remains of deleted and overwritten data from the files of an embedded database. Other writers of this
   * process wait. It always empties the write-ahead log; `rebuild` also rewrites the file unless it is large. Does
   * nothing on PostgreSQL, whose own vacuum does this.
   */
  forgetDeleted(options: { readonly rebuild: boolean }): Promise<void>;
  /**
   * False if a statement would need a connection that another database has now, because the server's budget is used up.
   * Always true on SQLite.
   */
  hasConnectionAtHand(): boolean;
  /**
   * False once the file of an embedded database is damaged, missing or replaced, which is detected within a second.
   * Then statements fail; close the database and open it again. Always true on PostgreSQL.
   */
  isIntact(): boolean;
  /** Closes the database after its running transactions have ended. */
  close(): Promise<void>;
}

declare const tenantDbBrand: unique symbol;
declare const platformDbBrand: unique symbol;

/** The database of exactly one tenant. Only `tenancy/` creates one, by resolving a tenant. */
export type TenantDb = Database<TenantTables> & { readonly [tenantDbBrand]: true };
/** A transaction of a tenant's database. */
export type TenantTransaction = Transaction<TenantTables>;

/** The one platform database. */
export type PlatformDb = Database<PlatformTables> & { readonly [platformDbBrand]: true };
/** A transaction of the platform database. */
export type PlatformTransaction = Transaction<PlatformTables>;
