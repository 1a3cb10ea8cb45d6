import type { PreparedRead, TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { PortalLoginsTable, PortalSessionsTable } from '../../../db/tables/tenant/portal.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** Returns up to `limit` logins that were requested and not yet prepared, oldest first. */
export function listUnpreparedLogins(db: TenantDb, limit: number): Promise<PortalLoginsTable[]> {
  return db.query
    .selectFrom('portal_logins')
    .selectAll()
    .where('prepared_at', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Stores the hashes of a login that is not yet prepared. Returns false if another run has prepared it. */
export async function prepareLoginRow(
  tx: TenantTransaction,
  id: string,
  changes: Pick<PortalLoginsTable, 'code_hash' | 'link_hash' | 'prepared_at'>,
): Promise<boolean> {
  const update = tx.updateTable('portal_logins').set(changes).where('id', '=', id).where('prepared_at', 'is', null);
  return (await update.executeTakeFirst()).numUpdatedRows > 0n;
}

/** More than an address can have: throttles allow 6 a minute for 10 minutes. */
const liveLoginsMax = 100;

/** Returns the running logins that the holder of an address has requested, and locks them. */
export function lockLogins(tx: TenantTransaction, email: string, now: Timestamp): Promise<PortalLoginsTable[]> {
  const query = tx
    .selectFrom('portal_logins')
    .selectAll()
    .where('email', '=', email)
    .where('kind', '=', 'holder')
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(liveLoginsMax);
  return forUpdate(tx, query).execute();
}

/** Counts a wrong code on every running login that the holder of an address has requested. */
export async function countWrongCode(tx: TenantTransaction, email: string): Promise<void> {
  await tx
    .updateTable('portal_logins')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('email', '=', email)
    .where('kind', '=', 'holder')
    .execute();
}

/** Deletes the running login of a link and returns it; undefined if there is none. Of concurrent calls one gets it. */
export function takeLoginOfLink(
  tx: TenantTransaction,
  linkHashes: readonly string[],
  now: Timestamp,
): Promise<PortalLoginsTable | undefined> {
  return tx
    .deleteFrom('portal_logins')
    .where('link_hash', 'in', linkHashes)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
}

/** Deletes every login and session of an address, also those that the vendor created. */
export async function deleteAllOf(tx: TenantTransaction, email: string): Promise<void> {
  await tx.deleteFrom('portal_logins').where('email', '=', email).execute();
  await tx.deleteFrom('portal_sessions').where('email', '=', email).execute();
}

/** Finds a session by the hash of its token, for every request. Arguments: the hash. */
export const sessionByHash: PreparedRead<TenantTables, PortalSessionsTable> = {
  name: 'portal-session-by-hash',
  build: (db, parameter) => db.selectFrom('portal_sessions').selectAll().where('token_hash', '=', parameter(0)),
};
