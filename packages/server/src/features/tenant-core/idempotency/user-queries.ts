import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { UserIdempotencyKeysTable } from '../../../db/tables/platform/user-idempotency-keys.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { KeyStore } from './attempts.ts';
import type { Outcome } from './queries.ts';

type Row = UserIdempotencyKeysTable;

/** Returns the keys of users, which belong to no tenant. */
export function userKeyStore({ query }: PlatformDb): KeyStore<Row> {
  return {
    async insert(row) {
      const { numInsertedOrUpdatedRows } = await query
        .insertInto('user_idempotency_keys')
        .values(row)
        .onConflict((conflict) => conflict.columns(['user_id', 'route', 'idempotency_key']).doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
    find: ({ user_id, route, idempotency_key }) =>
      query
        .selectFrom('user_idempotency_keys')
        .selectAll()
        .where('user_id', '=', user_id)
        .where('route', '=', route)
        .where('idempotency_key', '=', idempotency_key)
        .executeTakeFirst(),
    async replace(old, replacement) {
      const { numUpdatedRows } = await query
        .updateTable('user_idempotency_keys')
        .set(replacement)
        .where('attempt_id', '=', old.attempt_id)
        .where('response_status', old.response_status === null ? 'is' : '=', old.response_status)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
  };
}

/** Stores the outcome of a user's attempt, unless another attempt took over the key. */
export async function completeUserAttempt({ query }: PlatformDb, attemptId: string, outcome: Outcome): Promise<void> {
  await query
    .updateTable('user_idempotency_keys')
    .set(outcome)
    .where('attempt_id', '=', attemptId)
    .where('response_status', 'is', null)
    .execute();
}

/** Releases the key of a user's failed attempt. */
export async function deleteUserAttempt({ query }: PlatformDb, attemptId: string): Promise<void> {
  await query
    .deleteFrom('user_idempotency_keys')
    .where('attempt_id', '=', attemptId)
    .where('response_status', 'is', null)
    .execute();
}

/** Ends the lease of a user's attempt whose outcome is unknown. */
export async function endLease({ query }: PlatformDb, attemptId: string, at: Timestamp): Promise<void> {
  await query
    .updateTable('user_idempotency_keys')
    .set({ lease_expires_at: at })
    .where('attempt_id', '=', attemptId)
    .where('response_status', 'is', null)
    .execute();
}

/** Deletes the keys of a user. */
export async function deleteKeysOfUser(tx: PlatformTransaction, userId: string): Promise<void> {
  await tx.deleteFrom('user_idempotency_keys').where('user_id', '=', userId).execute();
}

/** Deletes at most `limit` expired keys of users, oldest first. Returns the number deleted. */
export async function deleteExpiredUserKeys({ query }: PlatformDb, now: Timestamp, limit: number): Promise<number> {
  const expired = query
    .selectFrom('user_idempotency_keys')
    .select('attempt_id')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit);
  const result = await query
    .deleteFrom('user_idempotency_keys')
    .where('attempt_id', 'in', expired)
    .where('expires_at', '<=', now)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
