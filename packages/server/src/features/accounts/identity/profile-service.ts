import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { UsersTable } from '../../../db/tables/platform/identity.ts';
import { clientNetwork } from '../../../lib/cidr.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import { verifyPassword } from '../../../lib/password.ts';
import type { Lockout } from '../../../rate-limit/lockout.ts';
import type { Services } from '../../../services.ts';
import type { Person } from '../../tenant-core/personal-data/personal-data.ts';
import { listFormerEmails, takePendingEmailChange } from './email-change-queries.ts';
import { findPasswordHash } from './queries.ts';
import type { SubjectName } from './subject.ts';
import { revokeOtherTokens, revokeTokensOf } from './tokens.ts';
import { lockUser, updateUserRow } from './user-queries.ts';

/** The password that a logged-in user or admin enters again to confirm a change. */
interface PasswordProof {
  readonly subject: SubjectName;
  readonly password: string;
  /** The field of the request that contains the password, for the error's details. */
  readonly field: string;
  /** The client address. */
  readonly ip: string;
}

/**
 * Checks the password of a logged-in user or admin, because a stolen token alone must not suffice to take over or
 * delete an account. Five wrong passwords lock this account and client address for 15 minutes. Returns the stored hash,
 * with which the caller can detect a concurrent change. Throws 422 with the field for a wrong password, 429
 * `AUTH.LOCKED_OUT`, and 409 `ACCOUNT.NO_PASSWORD` for a person who logs in with single sign-on only.
 */
export async function provePassword(
  { platform }: Pick<Services, 'platform'>,
  lockout: Lockout,
  { subject: { ability, id }, password, field, ip }: PasswordProof,
): Promise<string> {
  if ((await findPasswordHash(platform, ability, id)) === null) throw noPassword();
  const attempt = { account: `password:${id}`, address: clientNetwork(ip) };
  const { subject: passwordHash } = await lockout.attempt(attempt, async () => {
    const hash = await findPasswordHash(platform, ability, id);
    return (await verifyPassword(hash, password)) ? hash : null;
  });
  if (passwordHash === null) throw validationError({ field, message: 'is not your password' });
  return passwordHash;
}

/** Returns true if an enabled user has a password, and not only single sign-on. */
export async function hasPassword(platform: PlatformDb, userId: string): Promise<boolean> {
  return (await findPasswordHash(platform, 'tenant', userId)) !== null;
}

/** Returns the error for an action that a user without a password cannot confirm. */
export function noPassword(): AppError {
  return new AppError(
    'ACCOUNT.NO_PASSWORD',
    'Your account has no password yet. Request a link with POST /api/v1/auth/forgot-password and choose one first.',
  );
}

/** Reads a user and locks the row until the transaction ends. Returns undefined if there is no such user. */
export function lockAccount(tx: PlatformTransaction, id: string): Promise<UsersTable | undefined> {
  return lockUser(tx, 'id', id);
}

/** Sets the name of a user, in the caller's transaction. The caller records the change in the audit log. */
export async function changeName(tx: PlatformTransaction, id: string, name: string, at: Timestamp): Promise<void> {
  await updateUserRow(tx, id, { name, updated_at: at });
}

/**
 * Sets the password of a user, revokes every token of the user except `keptTokenId`, and cancels a pending change of the
 * address, in the caller's transaction.
 */
export async function changePassword(
  tx: PlatformTransaction,
  id: string,
  change: { readonly passwordHash: string; readonly keptTokenId: string; readonly at: Timestamp },
): Promise<void> {
  await updateUserRow(tx, id, { password_hash: change.passwordHash, updated_at: change.at });
  await revokeOtherTokens(tx, 'tenant', id, change.keptTokenId);
  await takePendingEmailChange(tx, id);
}

/** Disables a user, who can then no longer log in, and revokes every token of the user, in the caller's transaction. */
export async function disableUser(tx: PlatformTransaction, id: string, at: Timestamp): Promise<void> {
  await updateUserRow(tx, id, { disabled_at: at, updated_at: at });
  await revokeTokensOf(tx, 'tenant', id);
}

/** Lets a disabled user log in again, in the caller's transaction. */
export async function enableUser(tx: PlatformTransaction, id: string, at: Timestamp): Promise<void> {
  await updateUserRow(tx, id, { disabled_at: null, updated_at: at });
}

/** Returns a person whose data is exported or erased, disabled or not; undefined if there is no such user. */
export async function findPerson(platform: PlatformDb, id: string): Promise<Person | undefined> {
  const query = platform.query.selectFrom('users').select(['id', 'email', 'name']).where('id', '=', id);
  const user = await query.executeTakeFirst();
  return user && { ...user, formerEmails: await listFormerEmails(platform, id) };
}
