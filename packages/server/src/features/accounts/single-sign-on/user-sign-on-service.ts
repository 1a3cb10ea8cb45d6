import type { PlatformTransaction } from '../../../db/database.ts';
import type { UsersTable } from '../../../db/tables/platform/identity.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import { identityLinkedMail } from '../../../mail/templates/identity-linked.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { lockAccount } from '../identity/profile-service.ts';
import type { Origin } from '../identity/service.ts';
import { createUserWithoutPassword, lockUserByEmail, surrenderUnverifiedUser } from '../identity/users-service.ts';
import { type Claims, displayName, verifiedEmail } from './claims.ts';
import { accountDisabled, emailUnverified, identityTaken, noAccount } from './errors.ts';
import { findUserIdentity, hasUserIdentity, insertUserIdentity, touchIdentity } from './identity-queries.ts';

type SignOnServices = Pick<Services, 'clock' | 'config' | 'mail'>;

/** A person whom the provider has authenticated. */
export interface SignedOnPerson {
  readonly claims: Claims;
  readonly origin: Origin;
  readonly at: Timestamp;
}

/**
 * Returns the id of the user to whom an identity belongs, in the caller's transaction. An unknown identity is linked to
 * the user with the same address, which the provider must have verified, or gets a new user if that is configured.
 * Throws 403 `AUTH.SSO_EMAIL_UNVERIFIED`, `AUTH.SSO_NO_ACCOUNT` or `AUTH.SSO_ACCOUNT_DISABLED`, and 409
 * `AUTH.SSO_IDENTITY_TAKEN`.
 */
export async function signOnUser(
  services: SignOnServices,
  tx: PlatformTransaction,
  person: SignedOnPerson,
): Promise<string> {
  const { claims, at } = person;
  const known = await findUserIdentity(tx, { issuer: claims.iss, subject: claims.sub });
  if (known === undefined) return linkUser(services, tx, person);
  const user = await lockAccount(tx, known.user_id);
  if (user === undefined || user.disabled_at !== null) throw accountDisabled();
  await touchIdentity(tx, 'user_identities', known.id, at);
  return user.id;
}

async function linkUser(services: SignOnServices, tx: PlatformTransaction, person: SignedOnPerson): Promise<string> {
  const email = verifiedEmail(person.claims);
  if (email === undefined) throw emailUnverified();
  const existing = await lockUserByEmail(tx, email);
  if (existing !== undefined && existing.disabled_at !== null) throw accountDisabled();
  const user = existing ?? (await signUp(services, tx, person, email));
  await insertLink(tx, person, user, email);
  if (existing === undefined) return user.id;
  const actor = actorOf(user.id, person.origin);
  if (existing.email_verified_at === null) await surrenderUnverifiedUser(tx, actor, user.id, person.at);
  const { name } = services.config.oidc ?? { name: person.claims.iss };
  const { publicUrl } = services.config;
  await services.mail.enqueue(tx, identityLinkedMail({ to: user.email, provider: name, at: person.at, publicUrl }));
  return user.id;
}

async function signUp(
  { config }: SignOnServices,
  tx: PlatformTransaction,
  { claims, origin, at }: SignedOnPerson,
  email: string,
): Promise<UsersTable> {
  if (config.oidc?.signUp !== true) throw noAccount();
  const user = await createUserWithoutPassword(tx, { email, name: displayName(claims, email), at });
  const about = { resourceType: 'user', resourceId: user.id, at };
  const changes = [{ field: 'method', old: null, new: 'oidc' }];
  await recordPlatformAudit(tx, actorOf(user.id, origin), { event: 'USER.REGISTERED', ...about, changes });
  return user;
}

/** Throws 409 `AUTH.SSO_IDENTITY_TAKEN` if the user has another identity of the issuer. */
async function insertLink(
  tx: PlatformTransaction,
  { claims, origin, at }: SignedOnPerson,
  user: UsersTable,
  email: string,
): Promise<void> {
  const { iss: issuer, sub: subject } = claims;
  if (await hasUserIdentity(tx, user.id, issuer)) throw identityTaken();
  const id = newId();
  await insertUserIdentity(tx, { id, user_id: user.id, issuer, subject, email, linked_at: at, last_used_at: at });
  const changes = [{ field: 'issuer', old: null, new: issuer }];
  const about = { resourceType: 'user', resourceId: user.id, at, changes };
  await recordPlatformAudit(tx, actorOf(user.id, origin), { event: 'USER.IDENTITY_LINKED', ...about });
}

function actorOf(userId: string, origin: Origin): Actor {
  return { type: 'user', id: userId, ...origin };
}
