import type { PlatformTransaction } from '../../../db/database.ts';
import type { UsersTable } from '../../../db/tables/platform/identity.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { normalizeEmail } from '../../../lib/email.ts';
import { newId } from '../../../lib/ids.ts';
import { endMailLinks } from './mail-link-service.ts';
import { revokeTokensOf } from './tokens.ts';
import { upsertVerifiedUser } from './user-queries.ts';

/** Somebody who has proven to read the mail of the address, or whom the operator vouches for. */
interface ProvenPerson {
  readonly email: string;
  /** Of a new user; who has an account keeps the name. */
  readonly name: string;
  readonly passwordHash: string;
  readonly at: Timestamp;
}

/**
 * Makes the user of an address, or gives the one who has it this password, which ends that user's sessions and open
 * links. The address counts as verified. In the caller's transaction; undefined when the user is disabled.
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
