import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { AdminIdentitiesTable, UserIdentitiesTable } from '../../../db/tables/platform/single-sign-on.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** A person at a provider. */
export interface ProviderSubject {
  readonly issuer: string;
  readonly subject: string;
}

/** Returns the identity of a user; undefined if the person has not logged in with it yet. */
export function findUserIdentity(
  tx: PlatformTransaction,
  { issuer, subject }: ProviderSubject,
): Promise<UserIdentitiesTable | undefined> {
  return tx
    .selectFrom('user_identities')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

/** Returns the identity of an admin; undefined if the person has not logged in with it yet. */
export function findAdminIdentity(
  tx: PlatformTransaction,
  { issuer, subject }: ProviderSubject,
): Promise<AdminIdentitiesTable | undefined> {
  return tx
    .selectFrom('admin_identities')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

/** Returns true if a user has an identity of an issuer. */
export async function hasUserIdentity(tx: PlatformTransaction, userId: string, issuer: string): Promise<boolean> {
  const query = tx
    .selectFrom('user_identities')
    .select('id')
    .where('user_id', '=', userId)
    .where('issuer', '=', issuer);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Returns true if an admin has an identity of an issuer. */
export async function hasAdminIdentity(tx: PlatformTransaction, adminId: string, issuer: string): Promise<boolean> {
  const query = tx
    .selectFrom('admin_identities')
    .select('id')
    .where('admin_id', '=', adminId)
    .where('issuer', '=', issuer);
  return (await query.executeTakeFirst()) !== undefined;
}

/**
 * Inserts an identity of a user. Fails with a unique violation if the identity belongs to somebody, or if the user has
 * another one of the same issuer.
 */
export async function insertUserIdentity(tx: PlatformTransaction, row: UserIdentitiesTable): Promise<void> {
  await tx.insertInto('user_identities').values(row).execute();
}

/** Inserts an identity of an admin. Fails as `insertUserIdentity` does. */
export async function insertAdminIdentity(tx: PlatformTransaction, row: AdminIdentitiesTable): Promise<void> {
  await tx.insertInto('admin_identities').values(row).execute();
}

/** Stores when an identity was last used for a login. */
export async function touchIdentity(
  tx: PlatformTransaction,
  table: 'user_identities' | 'admin_identities',
  id: string,
  at: Timestamp,
): Promise<void> {
  await tx.updateTable(table).set({ last_used_at: at }).where('id', '=', id).execute();
}

/** Returns the identities of a user, oldest first. There is at most one for each issuer that was ever configured. */
export function listUserIdentities(platform: PlatformDb, userId: string): Promise<UserIdentitiesTable[]> {
  return platform.query
    .selectFrom('user_identities')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('linked_at')
    .orderBy('id')
    .execute();
}

/** Deletes an identity of a user and returns it; undefined if the user has no such identity. */
export function deleteUserIdentity(
  tx: PlatformTransaction,
  userId: string,
  id: string,
): Promise<UserIdentitiesTable | undefined> {
  return tx
    .deleteFrom('user_identities')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();
}

/** Deletes the identities that a user linked at `since` or later, and returns them. */
export function deleteUserIdentitiesSince(
  tx: PlatformTransaction,
  userId: string,
  since: Timestamp,
): Promise<UserIdentitiesTable[]> {
  return tx
    .deleteFrom('user_identities')
    .where('user_id', '=', userId)
    .where('linked_at', '>=', since)
    .returningAll()
    .execute();
}
