import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { PlatformTables } from './tables/platform-tables.ts';
import type { TenantTables } from './tables/tenant-tables.ts';

export type Engine = 'sqlite' | 'postgres';
export type SqlValue = string | number | bigint | null | Uint8Array;

/**
 * A read that is compiled once and prepared once per connection. `build` receives placeholders in the order
 * of the arguments given to `first`; constants may stand among them.
 */
export interface PreparedRead<Tables, Row> {
  /** Unique within the process; also the statement's name on PostgreSQL. */
  readonly name: string;
  readonly build: (db: Kysely<Tables>, parameter: (index: number) => string) => { compile(): CompiledQuery<Row> };
}

export interface TransactionOptions {
  /** True for a migration: its statements lift the server's limits of time, and nobody gives up waiting for one. */
  readonly mayTakeLong?: boolean;
}

/** One open database on one of the two engines. */
export interface Database<Tables> {
  readonly engine: Engine;
  /** For single statements, each its own transaction. Waits while a transaction is open on the embedded engine. */
  readonly query: Kysely<Tables>;
  /**
   * Runs `work` in one transaction: `BEGIN IMMEDIATE` on SQLite, read committed on PostgreSQL (lock rows with
   * `forUpdate(query)` before deciding on them). Rolls back when `work` throws. `work` awaits nothing but `tx`.
   */
  transaction<Result>(
    work: (tx: Transaction<Tables>) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /**
   * Like `transaction`, for work of many statements that may take minutes: reads, single statements of reading and
   * prepared reads go on beside it and see nothing of it before it commits. On SQLite other writers of this process
   * wait for its end; on PostgreSQL only other bulk transactions do, those of other processes included.
   */
  bulkTransaction<Result>(work: (tx: Transaction<Tables>) => Promise<Result>): Promise<Result>;
  /** The first row of a prepared read: at once on SQLite (unless a transaction is open), later on PostgreSQL. */
  first<Row>(read: PreparedRead<Tables, Row>, args: readonly SqlValue[]): MaybePromise<Row | undefined>;
  /**
   * Sees to it that nothing of what was deleted or overwritten stays in the files of an embedded database. On
   * PostgreSQL that is the work of its own vacuum. Others of this process who write wait meanwhile. `rebuild`: the file
   * itself is made anew unless it is large, beside the log of changes, which is emptied in any case.
   */
  forgetDeleted(options: { readonly rebuild: boolean }): Promise<void>;
  /**
   * False once the file of an embedded database is damaged, gone or another one, which is noticed within a second: its
   * statements fail, and whoever opens it again finds out whether it is well. Always true on PostgreSQL.
   */
  isIntact(): boolean;
  close(): Promise<void>;
}

declare const tenantDbBrand: unique symbol;
declare const platformDbBrand: unique symbol;

/** The database of exactly one tenant. Only `tenancy/` makes one, by resolving a tenant. */
export type TenantDb = Database<TenantTables> & { readonly [tenantDbBrand]: true };
export type TenantTransaction = Transaction<TenantTables>;

/** The one platform database. */
export type PlatformDb = Database<PlatformTables> & { readonly [platformDbBrand]: true };
export type PlatformTransaction = Transaction<PlatformTables>;
