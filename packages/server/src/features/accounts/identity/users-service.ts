import type { PlatformTransaction } from '../../../db/database.ts';
import type { UsersTable } from '../../../db/tables/platform/identity.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { normalizeEmail } from '../../../lib/email.ts';
import { newId } from '../../../lib/ids.ts';
import { endMailLinks } from './mail-link-service.ts';
import { revokeTokensOf } from './tokens.ts';
import { findUserIdByEmail, insertUser, isUserIdTaken, upsertVerifiedUser } from './user-queries.ts';

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
