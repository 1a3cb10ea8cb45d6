import { type SqlBool, sql } from 'kysely';
import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { Timestamp } from '../../../lib/clock.ts';

// Written as in the index `licenses_ending`, which is how SQLite recognises it.
const isUntold = sql<SqlBool>`deleted_at is null and status not in ('suspended', 'revoked') and expires_at is not null and (expired_noted_for is null or expired_noted_for <> expires_at)`;

/** Locks the licenses that have ended by `now` and of which nobody was told, the earliest end first. Answers their ids. */
export async function lockEnded(tx: TenantTransaction, now: Timestamp, limit: number): Promise<string[]> {
  const candidates = await tx
    .selectFrom('licenses')
    .select('id')
    .where(isUntold)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  if (candidates.length === 0) return [];
  const ids = candidates.map(({ id }) => id);
  // In the order of ids, as everybody who locks several.
  const locked = tx.selectFrom('licenses').select('id').where('id', 'in', ids).where(isUntold);
  return (await forUpdate(tx, locked.where('expires_at', '<=', now).orderBy('id')).execute()).map(({ id }) => id);
}

/** Notes that it was told of these licenses that they have ended, for the date on which they end now. */
export async function noteTold(tx: TenantTransaction, ids: readonly string[]): Promise<void> {
  await tx
    .updateTable('licenses')
    .set((eb) => ({ expired_noted_for: eb.ref('expires_at') }))
    .where('id', 'in', ids)
    .execute();
}

/** When the first license ends of which nobody was told; null when there is none. */
export async function findFirstEnd(db: TenantDb): Promise<Timestamp | null> {
  const first = db.query
    .selectFrom('licenses')
    .select('expires_at')
    .where(isUntold)
    .orderBy('expires_at')
    .orderBy('id');
  return (await first.limit(1).executeTakeFirst())?.expires_at ?? null;
}
