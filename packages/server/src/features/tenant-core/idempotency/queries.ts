import type { Kysely } from 'kysely';
import type { PlatformDb, TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { UserIdempotencyKeysTable } from '../../../db/tables/platform/background.ts';
import type { IdempotencyKeysTable } from '../../../db/tables/tenant/administration.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** The stored response of an attempt; both fields are null while it runs. */
export type Outcome = Pick<IdempotencyKeysTable, 'response_status' | 'response_data_json'>;

/** A table of keys, of a tenant or of users and admins. */
export interface KeyStore<Row extends IdempotencyKeysTable> {
  /** Reserves a key. Returns false if the key has a row. */
  insert(row: Row): Promise<boolean>;
  /** Returns the row that holds the key of `row`, finished or not. */
  find(row: Row): Promise<Row | undefined>;
  /**
   * Replaces an abandoned attempt, or an attempt with an expired response, by a new one. Returns false if the old attempt
   * completed meanwhile or a concurrent request replaced it first.
   */
  replace(old: Row, replacement: Row): Promise<boolean>;
  /** Stores the outcome of an attempt that still holds its key. Returns false if another attempt took over the key. */
  complete(attemptId: string, outcome: Outcome): Promise<boolean>;
  /** Releases the key of a failed attempt; a completed attempt keeps its key. */
  release(attemptId: string): Promise<void>;
  /** Ends the lease of an attempt whose outcome is unknown. */
  endLease(attemptId: string, at: Timestamp): Promise<void>;
}

/** Returns the keys of a tenant. */
export function tenantKeys(db: TenantDb['query'] | TenantTransaction): KeyStore<IdempotencyKeysTable> {
  return keyStore(db, 'idempotency_keys', ['route', 'idempotency_key']);
}

/** Returns the keys of users and admins, which belong to no tenant. */
export function personKeys({ query }: PlatformDb): KeyStore<UserIdempotencyKeysTable> {
  return keyStore(query, 'user_idempotency_keys', ['user_id', 'route', 'idempotency_key']);
}

function keyStore<Tables, Row extends IdempotencyKeysTable>(
  database: Kysely<Tables>,
  tableName: keyof Tables & string,
  name: readonly (keyof Row & keyof UserIdempotencyKeysTable)[],
): KeyStore<Row> {
  // Both tables have the columns that these statements use.
  const db = database as unknown as Kysely<{ keys: UserIdempotencyKeysTable }>;
  const table = tableName as 'keys';
  const updateUnfinished = (attemptId: string, change: Partial<IdempotencyKeysTable>) =>
    db
      .updateTable(table)
      .set(change)
      .where('attempt_id', '=', attemptId)
      .where('response_status', 'is', null)
      .executeTakeFirst();
  return {
    async insert(row) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto(table)
        .values(row as unknown as UserIdempotencyKeysTable)
        .onConflict((conflict) => conflict.columns(name).doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
    async find(row) {
      const query = name.reduce(
        (found, column) => found.where(column as 'route', '=', row[column] as string),
        db.selectFrom(table).selectAll(),
      );
      return (await query.executeTakeFirst()) as unknown as Row | undefined;
    },
    async replace(old, replacement) {
      const { numUpdatedRows } = await db
        .updateTable(table)
        .set(replacement)
        .where('attempt_id', '=', old.attempt_id)
        .where('response_status', old.response_status === null ? 'is' : '=', old.response_status)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    complete: async (attemptId, outcome) => (await updateUnfinished(attemptId, outcome)).numUpdatedRows === 1n,
    async endLease(attemptId, at) {
      await updateUnfinished(attemptId, { lease_expires_at: at });
    },
    async release(attemptId) {
      await db.deleteFrom(table).where('attempt_id', '=', attemptId).where('response_status', 'is', null).execute();
    },
  };
}
