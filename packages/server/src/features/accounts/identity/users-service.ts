import type { PlatformTransaction } from '../../../db/database.ts';
import type { UsersTable } from '../../../db/tables/platform/identity.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { normalizeEmail } from '../../../lib/email.ts';
import { newId } from '../../../lib/ids.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { noteVerified } from './email-verification-service.ts';
import { endMailLinks } from './mail-link-service.ts';
import { revokeTokensOf } from './tokens.ts';
import { deleteRecoveryCodes, deleteTwoFactor } from './two-factor-queries.ts';
import {
  findUserIdByEmail,
  insertUser,
  isUserIdTaken,
  lockUser,
  updateUserRow,
  upsertVerifiedUser,
} from './user-queries.ts';

/** A person who has proven to read the mail of the address, or whose address an operator has confirmed. */
interface ProvenPerson {
  readonly email: string;
  /** The name of a new user. An existing user keeps the name. */
  readonly name: string;
  readonly passwordHash: string;
  readonly at: Timestamp;
}

/**
 * Creates a user with a verified address, in the caller's transaction. If the address has a user, sets the user's
 * password, marks the address as verified, and revokes the user's sessions and mailed links. Returns undefined and
 * changes nothing if that user is disabled.
 */
export async function admitProvenUser(tx: PlatformTransaction, person: ProvenPerson): Promise<UsersTable | undefined> {
  const { name, passwordHash, at } = person;
  const row = { id: newId(), email: normalizeEmail(person.email), name, password_hash: passwordHash };
  const stamps = { email_verified_at: at, disabled_at: null, created_at: at, updated_at: at };
  const user = await upsertVerifiedUser(tx, { ...row, ...stamps });
  if (user === undefined) return undefined;
  await revokeTokensOf(tx, 'tenant', user.id);
  await endMailLinks(tx, user.id);
  return user;
}

/** A person whose address a provider of single sign-on has verified. */
interface VouchedPerson {
  readonly email: string;
  readonly name: string;
  readonly at: Timestamp;
}

/**
 * Creates a user with a verified address and without a password, in the caller's transaction. Fails with a violation of
 * `users_email_unique` if the address has a user.
 */
export async function createUserWithoutPassword(tx: PlatformTransaction, person: VouchedPerson): Promise<UsersTable> {
  const { name, at } = person;
  const row = { id: newId(), email: normalizeEmail(person.email), name, password_hash: null, email_verified_at: at };
  const user = { ...row, disabled_at: null, created_at: at, updated_at: at };
  await insertUser(tx, user);
  return user;
}

/** Reads a user by address and locks the row until the transaction ends. Returns undefined if there is none. */
export function lockUserByEmail(tx: PlatformTransaction, email: string): Promise<UsersTable | undefined> {
  return lockUser(tx, 'email', normalizeEmail(email));
}

/**
 * Gives a locked user with an unverified address to the person who has proven to own the address. Whoever registered it
 * may be somebody else, so the password, the sessions, the mailed links and the second factor end.
 */
export async function surrenderUnverifiedUser(
  tx: PlatformTransaction,
  actor: Actor,
  userId: string,
  at: Timestamp,
): Promise<void> {
  await updateUserRow(tx, userId, { password_hash: null, updated_at: at });
  await revokeTokensOf(tx, 'tenant', userId);
  await endMailLinks(tx, userId);
  await deleteRecoveryCodes(tx, { ability: 'tenant', id: userId });
  await deleteTwoFactor(tx, { ability: 'tenant', id: userId });
  await noteVerified(tx, actor, userId, at);
}

interface ArchivedUser {
  readonly id: string;
  /** The normalised address. */
  readonly email: string;
  readonly name: string;
  readonly at: string;
}

/**
 * Returns the id of the user with the address of an archived user, in the caller's transaction. If there is no such
 * user, inserts one without a password and with an unverified address.
 */
export async function findOrCreateUser(tx: PlatformTransaction, user: ArchivedUser): Promise<string> {
  const known = await findUserIdByEmail(tx, user.email);
  if (known !== undefined) return known;
  // Audit records refer to the archived id, so it is kept unless another user has it.
  const id = (await isUserIdTaken(tx, user.id)) ? newId() : user.id;
  await insertUser(tx, {
    id,
    email: user.email,
    name: user.name,
    password_hash: null,
    email_verified_at: null,
    disabled_at: null,
    created_at: user.at,
    updated_at: user.at,
  });
  return id;
}
