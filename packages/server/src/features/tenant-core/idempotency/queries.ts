import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { IdempotencyKeysTable } from '../../../db/tables/tenant/idempotency-keys.ts';
import type { Timestamp } from '../../../lib/clock.ts';

type Name = Pick<IdempotencyKeysTable, 'route' | 'idempotency_key'>;
export type Outcome = Pick<IdempotencyKeysTable, 'response_status' | 'response_data_json'>;

/** Reserves a key that nobody holds. Answers false when there is a row of it already. */
export async function insertAttempt(db: TenantDb, row: IdempotencyKeysTable): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db.query
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((conflict) => conflict.columns(['route', 'idempotency_key']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export function findAttempt(db: TenantDb, name: Name): Promise<IdempotencyKeysTable | undefined> {
  return db.query
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('route', '=', name.route)
    .where('idempotency_key', '=', name.idempotency_key)
    .executeTakeFirst();
}

/**
 * Puts a new attempt in the place of one that died or whose answer expired. Answers false when the old one completed
 * meanwhile, or somebody else was faster.
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

/** Notes the outcome of an attempt that still holds its key. Answers false when another has taken the key over. */
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

/** Gives the key of an attempt back that failed; one that completed keeps it. */
export async function deleteUnfinishedAttempt(db: TenantDb, attemptId: string): Promise<void> {
  await db.query
    .deleteFrom('idempotency_keys')
    .where('attempt_id', '=', attemptId)
    .where('response_status', 'is', null)
    .execute();
}

/** Removes at most `limit` of the rows that expired, the oldest first, and answers how many. */
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
