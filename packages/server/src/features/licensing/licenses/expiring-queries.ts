import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { ExpiringDigestTable } from '../../../db/tables/tenant/notifications.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** Licenses that end after `from` and by `to` and are not counted for that date. Uses the index `licenses_expiring`. */
function isUncounted(eb: ExpressionBuilder<TenantTables, 'licenses'>, from: Timestamp, to: Timestamp) {
  return eb.and([
    eb('deleted_at', 'is', null),
    // Written without `=`, so that SQLite does not choose the index on status, which contains nearly every license.
    eb('status', 'not in', ['suspended', 'revoked']),
    eb('expires_at', '>', from),
    eb('expires_at', '<=', to),
    eb.or([eb('expiring_noted_for', 'is', null), eb('expiring_noted_for', '<>', eb.ref('expires_at'))]),
  ]);
}

/** Locks the `limit` uncounted licenses that end first, in the order of their ids so that two cannot deadlock. */
export async function lockUncounted(
  tx: TenantTransaction,
  from: Timestamp,
  to: Timestamp,
  limit: number,
): Promise<LicensesTable[]> {
  const candidates = await tx
    .selectFrom('licenses')
    .select('id')
    .where((eb) => isUncounted(eb, from, to))
    .orderBy('expires_at')
    .limit(limit)
    .execute();
  if (candidates.length === 0) return [];
  const ids = candidates.map((row) => row.id);
  const locked = tx
    .selectFrom('licenses')
    .selectAll()
    .where('id', 'in', ids)
    .where((eb) => isUncounted(eb, from, to))
    .orderBy('id');
  return await forUpdate(tx, locked).execute();
}

/** Marks these licenses as counted for their current end. A later change of `expires_at` invalidates the mark. */
export async function markCounted(tx: TenantTransaction, ids: readonly string[]): Promise<void> {
  await tx
    .updateTable('licenses')
    .set((eb) => ({ expiring_noted_for: eb.ref('expires_at') }))
    .where('id', 'in', ids)
    .execute();
}

/** Reads the single digest row and locks it until the transaction ends. */
export function lockDigest(tx: TenantTransaction): Promise<ExpiringDigestTable> {
  return forUpdate(tx, tx.selectFrom('expiring_digest').selectAll()).executeTakeFirstOrThrow();
}

// SQLite uses the partial index `licenses_ending` only when the condition is written exactly as in the index.
const isUnreported = sql<SqlBool>`deleted_at is null
  and status not in ('suspended', 'revoked')
  and expires_at is not null
  and (expired_noted_for is null or expired_noted_for <> expires_at)`;

/**
 * Locks up to `limit` licenses that ended by `now` and whose end is not reported yet, earliest end first. Returns what
 * the mails to their holders need.
 */
export async function lockEnded(
  tx: TenantTransaction,
  now: Timestamp,
  limit: number,
): Promise<Pick<LicensesTable, 'id' | 'product_id' | 'holder_email' | 'expires_at'>[]> {
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
  const columns = ['id', 'product_id', 'holder_email', 'expires_at'] as const;
  const locked = tx.selectFrom('licenses').select(columns).where('id', 'in', ids).where(isUnreported);
  return await forUpdate(tx, locked.where('expires_at', '<=', now).orderBy('id')).execute();
}

/** Marks the current end of these licenses as reported. A later change of `expires_at` invalidates the mark. */
export async function markEndReported(tx: TenantTransaction, ids: readonly string[]): Promise<void> {
  await tx
    .updateTable('licenses')
    .set((eb) => ({ expired_noted_for: eb.ref('expires_at') }))
    .where('id', 'in', ids)
    .execute();
}

/** Returns the earliest end of a license that is not reported yet, or null. */
export async function findFirstEnd(db: TenantDb): Promise<Timestamp | null> {
  const first = db.query
    .selectFrom('licenses')
    .select('expires_at')
    .where(isUnreported)
    .orderBy('expires_at')
    .orderBy('id');
  return (await first.limit(1).executeTakeFirst())?.expires_at ?? null;
}
