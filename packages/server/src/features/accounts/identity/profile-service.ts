import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { UsersTable } from '../../../db/tables/platform/identity.ts';
import { clientNetwork } from '../../../lib/cidr.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { validationError } from '../../../lib/error.ts';
import { verifyPassword } from '../../../lib/password.ts';
import type { Lockout } from '../../../rate-limit/lockout.ts';
import type { Services } from '../../../services.ts';
import { findPasswordHash } from './queries.ts';
import { revokeOtherTokens, revokeTokensOf } from './tokens.ts';
import { lockUser, updateUserRow } from './user-queries.ts';

/** A password that somebody who is logged in proves to know, once more. */
interface PasswordProof {
  readonly userId: string;
  readonly password: string;
  /** The field of the request that has it. */
  readonly field: string;
  /** The client address. */
  readonly ip: string;
}

/**
 * Checks the password of somebody who is logged in: a token alone must not be enough to take an account over or away.
 * Five wrong ones lock the user and address for 15 minutes. Answers the stored hash, for `changePassword`. Throws 422
 * with the field for a wrong one, 429 `AUTH.LOCKED_OUT`.
 */
export async function provePassword(
  { platform }: Pick<Services, 'platform'>,
  lockout: Lockout,
  { userId, password, field, ip }: PasswordProof,
): Promise<string> {
  const attempt = { account: `password:${userId}`, address: clientNetwork(ip) };
  const { subject } = await lockout.attempt(attempt, async () => {
    const hash = await findPasswordHash(platform, 'tenant', userId);
    return (await verifyPassword(hash, password)) ? hash : null;
  });
  if (subject === null) throw validationError({ field, message: 'is not your password' });
  return subject;
}

/** The row of a user, which others cannot change until the transaction ends; undefined when there is none. */
export function lockAccount(tx: PlatformTransaction, id: string): Promise<UsersTable | undefined> {
  return lockUser(tx, 'id', id);
}

export async function changeName(tx: PlatformTransaction, id: string, name: string, at: Timestamp): Promise<void> {
  await updateUserRow(tx, id, { name, updated_at: at });
}

/** Gives a user another password. Every token of the user ends but the one that the change came with. */
export async function changePassword(
  tx: PlatformTransaction,
  id: string,
  change: { readonly passwordHash: string; readonly keptTokenId: string; readonly at: Timestamp },
): Promise<void> {
  await updateUserRow(tx, id, { password_hash: change.passwordHash, updated_at: change.at });
  await revokeOtherTokens(tx, 'tenant', id, change.keptTokenId);
}

/** Keeps a user from logging in, and ends every token. */
export async function disableUser(tx: PlatformTransaction, id: string, at: Timestamp): Promise<void> {
  await updateUserRow(tx, id, { disabled_at: at, updated_at: at });
  await revokeTokensOf(tx, 'tenant', id);
}

/** Who somebody is, disabled or not; undefined when there is nobody. */
export function findPerson(
  platform: PlatformDb,
  id: string,
): Promise<Pick<UsersTable, 'id' | 'email' | 'name'> | undefined> {
  return platform.query.selectFrom('users').select(['id', 'email', 'name']).where('id', '=', id).executeTakeFirst();
}
