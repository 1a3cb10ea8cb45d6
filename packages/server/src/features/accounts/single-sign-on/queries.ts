import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { findRow } from '../../../db/rows.ts';
import type { SealedColumn } from '../../../db/sealed.ts';
import type {
  AdminIdentitiesTable,
  SignOnAttemptsTable,
  SignOnCodesTable,
  UserIdentitiesTable,
} from '../../../db/tables/platform/identity.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** The possible hashes of the secret in the URL and of the cookie. */
interface Holder {
  readonly hashes: readonly string[];
  readonly browserHashes: readonly string[];
}

/** Deletes an unexpired login of a browser, so that it works once. Returns it, or undefined. */
export async function takeAttempt(
  platform: PlatformDb,
  { hashes, browserHashes }: Holder,
  now: Timestamp,
): Promise<SignOnAttemptsTable | undefined> {
  return platform.query
    .deleteFrom('sign_on_attempts')
    .where('state_hash', 'in', hashes)
    .where('browser_hash', 'in', browserHashes)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
}

/** Returns the login that an unexpired code of a browser completes, or undefined. */
export function findCode(
  platform: PlatformDb,
  { hashes, browserHashes }: Holder,
  now: Timestamp,
): Promise<SignOnCodesTable | undefined> {
  return platform.query
    .selectFrom('sign_on_codes')
    .selectAll()
    .where('code_hash', 'in', hashes)
    .where('browser_hash', 'in', browserHashes)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Deletes a code. Returns false if another request has used it. */
export async function takeCode(tx: PlatformTransaction, codeHash: string): Promise<boolean> {
  const result = await tx.deleteFrom('sign_on_codes').where('code_hash', '=', codeHash).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

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
  return findRow(tx, 'user_identities', { issuer, subject });
}

/** Returns the identity of an admin; undefined if the person has not logged in with it yet. */
export function findAdminIdentity(
  tx: PlatformTransaction,
  { issuer, subject }: ProviderSubject,
): Promise<AdminIdentitiesTable | undefined> {
  return findRow(tx, 'admin_identities', { issuer, subject });
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
 * Inserts an identity of a user. Fails with a unique violation if the identity belongs to a user, or if the user has
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

/** What the return of a login from the provider is checked with. */
export const sealedSignOnChecks: SealedColumn<PlatformTables> = {
  table: 'sign_on_attempts',
  column: 'sealed_checks',
  key: ['state_hash'],
  what: 'logins in progress at the provider of single sign-on',
};
