import { type SqlBool, sql } from 'kysely';
import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { Timestamp } from '../../../lib/clock.ts';

// SQLite uses the partial index `licenses_ending` only when the condition is written exactly as in the index.
const isUnreported = sql<SqlBool>`deleted_at is null
  and status not in ('suspended', 'revoked')
  and expires_at is not null
  and (expired_noted_for is null or expired_noted_for <> expires_at)`;

/**
 * Locks up to `limit` licenses that ended by `now` and whose end is not reported yet, earliest end first. Returns their
 * ids.
 */
export async function lockEnded(tx: TenantTransaction, now: Timestamp, limit: number): Promise<string[]> {
  const candidates = await tx
    .selectFrom('licenses')
    .select('id')
    .where(isUnreported)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  if (candidates.length === 0) return [];
  const ids = candidates.map(({ id }) => id);
  // Every transaction locks licenses in the order of their ids, so that two cannot deadlock.
  const locked = tx.selectFrom('licenses').select('id').where('id', 'in', ids).where(isUnreported);
  return (await forUpdate(tx, locked.where('expires_at', '<=', now).orderBy('id')).execute()).map(({ id }) => id);
}

/** Marks the current end of these licenses as reported. A later change of `expires_at` invalidates the mark. */
export async function markEndReported(tx: TenantTransaction, ids: readonly string[]): Promise<void> {
  await tx
    .updateTable('licenses')
    .set((eb) => ({ expired_noted_for: eb.ref('expires_at') }))
    .where('id', 'in', ids)
    .execute();
}

/** Returns the earliest end of a license that is not reported yet; null when there is none. */
export async function findFirstEnd(db: TenantDb): Promise<Timestamp | null> {
  const first = db.query
    .selectFrom('licenses')
    .select('expires_at')
    .where(isUnreported)
    .orderBy('expires_at')
    .orderBy('id');
  return (await first.limit(1).executeTakeFirst())?.expires_at ?? null;
}
