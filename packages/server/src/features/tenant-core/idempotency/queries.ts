import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { IdempotencyKeysTable } from '../../../db/tables/tenant/idempotency-keys.ts';
import type { Timestamp } from '../../../lib/clock.ts';

type Name = Pick<IdempotencyKeysTable, 'route' | 'idempotency_key'>;
/** The stored response of an attempt; both fields are null while it runs. */
export type Outcome = Pick<IdempotencyKeysTable, 'response_status' | 'response_data_json'>;

/** Reserves a key. Returns false if the key has a row. */
export async function insertAttempt(db: TenantDb, row: IdempotencyKeysTable): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db.query
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((conflict) => conflict.columns(['route', 'idempotency_key']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Finds the attempt that holds a key, finished or not. */
export function findAttempt(db: TenantDb, name: Name): Promise<IdempotencyKeysTable | undefined> {
  return db.query
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('route', '=', name.route)
    .where('idempotency_key', '=', name.idempotency_key)
    .executeTakeFirst();
}

/**
 * Replaces an abandoned attempt, or one whose response expired, by a new attempt. Returns false if the old attempt
 * completed meanwhile or a concurrent request replaced it first.
 */
export async function replaceAttempt(
  db: TenantDb,
  old: IdempotencyKeysTable,
  replacement: IdempotencyKeysTable,
): Promise<boolean> {
  const { numUpdatedRows } = await db.query
    .updateTable('idempotency_keys')
    .set(replacement)
    .where('attempt_id', '=', old.attempt_id)
    .where('response_status', old.response_status === null ? 'is' : '=', old.response_status)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Stores the outcome of an attempt that still holds its key. Returns false if another attempt took over the key. */
export async function completeAttempt(
  db: TenantDb['query'] | TenantTransaction,
  attemptId: string,
  outcome: Outcome,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('idempotency_keys')
    .set(outcome)
    .where('attempt_id', '=', attemptId)
    .where('response_status', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Releases the key of a failed attempt; a completed attempt keeps its key. */
export async function deleteUnfinishedAttempt(db: TenantDb, attemptId: string): Promise<void> {
  await db.query
    .deleteFrom('idempotency_keys')
    .where('attempt_id', '=', attemptId)
    .where('response_status', 'is', null)
    .execute();
}

/** Releases the keys of all attempts that have no outcome yet. */
export async function deleteUnfinishedAttempts(tx: TenantTransaction): Promise<void> {
  await tx.deleteFrom('idempotency_keys').where('response_status', 'is', null).execute();
}

/** Deletes at most `limit` expired rows, oldest first. Returns the number deleted. */
export async function deleteExpiredAttempts(
  db: TenantDb['query'] | TenantTransaction,
  now: Timestamp,
  limit: number,
): Promise<number> {
  const expired = db
    .selectFrom('idempotency_keys')
    .select('attempt_id')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit);
  const result = await db
    .deleteFrom('idempotency_keys')
    .where('attempt_id', 'in', expired)
    .where('expires_at', '<=', now)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
