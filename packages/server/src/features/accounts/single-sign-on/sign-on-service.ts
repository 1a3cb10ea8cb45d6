import type { PlatformTransaction } from '../../../db/database.ts';
import type { AdminRole, UsersTable } from '../../../db/tables/platform/identity.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError, orThrow } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import { identityLinkedMail } from '../../../mail/templates/account.ts';
import type { MailServices } from '../../../services.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import {
  type Admin,
  createAdmin,
  createUserWithoutPassword,
  lockAccount,
  lockAdmin,
  lockAdminByEmail,
  lockEffectiveSuperAdmins,
  lockUserByEmail,
  saveAdmin,
  surrenderUnverifiedUser,
} from '../identity/account-service.ts';
import type { Origin } from '../identity/service.ts';
import { requireSignUp } from '../identity/sign-up.ts';
import { actorOf } from '../identity/subject.ts';
import { accountDisabled, emailUnverified, identityTaken, noAccount, roleMissing } from './errors.ts';
import { adminRoleOf, type Claims, displayName, verifiedEmail } from './provider.ts';
import {
  findAdminIdentity,
  findUserIdentity,
  hasAdminIdentity,
  hasUserIdentity,
  insertAdminIdentity,
  insertUserIdentity,
  touchIdentity,
} from './queries.ts';

/** A person whom the provider has authenticated. */
export interface SignedOnPerson {
  readonly claims: Claims;
  readonly origin: Origin;
  readonly at: Timestamp;
}

/**
 * Returns the id of the user to whom an identity belongs, in the caller's transaction. An unknown identity is linked to
 * the user with the same address, which the provider must have verified, or gets a new user if that is configured.
 * Throws 403 `AUTH.SSO_EMAIL_UNVERIFIED`, `AUTH.SSO_NO_ACCOUNT`, `AUTH.SIGN_UP_CLOSED` or `AUTH.SSO_ACCOUNT_DISABLED`, and 409
 * `AUTH.SSO_IDENTITY_TAKEN`.
 */
export async function signOnUser(
  services: MailServices,
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

async function linkUser(services: MailServices, tx: PlatformTransaction, person: SignedOnPerson): Promise<string> {
  const email = orThrow(verifiedEmail(person.claims), emailUnverified);
  const existing = await lockUserByEmail(tx, email);
  if (existing !== undefined && existing.disabled_at !== null) throw accountDisabled();
  const user = existing ?? (await signUp(services, tx, person, email));
  await insertLink(tx, person, user, email);
  if (existing === undefined) return user.id;
  const actor = actorOf({ ability: 'tenant', id: user.id }, person.origin);
  if (existing.email_verified_at === null) await surrenderUnverifiedUser(tx, actor, user.id, person.at);
  const { name } = services.config.oidc ?? { name: person.claims.iss };
  const { publicUrl } = services.config;
  await services.mail.enqueue(tx, identityLinkedMail({ to: user.email, provider: name, at: person.at, publicUrl }));
  return user.id;
}

async function signUp(
  { config }: MailServices,
  tx: PlatformTransaction,
  { claims, origin, at }: SignedOnPerson,
  email: string,
): Promise<UsersTable> {
  requireSignUp(config, 'single sign-on');
  if (config.oidc?.signUp !== true) throw noAccount();
  const user = await createUserWithoutPassword(tx, { email, name: displayName(claims, email), at });
  const about = { resourceType: 'user', resourceId: user.id, at };
  const changes = [{ field: 'method', old: null, new: 'oidc' }];
  await recordPlatformAudit(tx, actorOf({ ability: 'tenant', id: user.id }, origin), {
    event: 'USER.REGISTERED',
    ...about,
    changes,
  });
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
  await recordPlatformAudit(tx, actorOf({ ability: 'tenant', id: user.id }, origin), {
    event: 'USER.IDENTITY_LINKED',
    ...about,
  });
}

/**
 * Returns the id of the admin to whom an identity belongs, in the caller's transaction. The claim `claim` decides the
 * role at each login. An unknown identity is linked to the admin with the same verified address, or gets a new admin
 * without a password. Throws 403 `AUTH.SSO_ROLE_MISSING`, `AUTH.SSO_EMAIL_UNVERIFIED` or `AUTH.SSO_ACCOUNT_DISABLED`,
 * and 409 `AUTH.SSO_IDENTITY_TAKEN` or `ADMIN.LAST_SUPER_ADMIN`.
 */
export async function signOnAdmin(
  services: MailServices,
  tx: PlatformTransaction,
  person: SignedOnPerson,
  claim: string,
): Promise<string> {
  const { claims } = person;
  const role = orThrow(adminRoleOf(claims, claim), () => roleMissing(claim));
  // Locked in the same order as by a change of an admin's role.
  const superAdmins = await lockEffectiveSuperAdmins(tx);
  const known = await findAdminIdentity(tx, { issuer: claims.iss, subject: claims.sub });
  const admin = known === undefined ? await linkAdmin(services, tx, person, role) : await lockAdmin(tx, known.admin_id);
  if (admin === undefined || admin.disabled_at !== null) throw accountDisabled();
  if (known !== undefined) await touchIdentity(tx, 'admin_identities', known.id, person.at);
  if (admin.role !== role) await followClaim(tx, person, admin, role, superAdmins);
  return admin.id;
}

async function linkAdmin(
  services: MailServices,
  tx: PlatformTransaction,
  person: SignedOnPerson,
  role: AdminRole,
): Promise<Admin> {
  const { claims, origin, at } = person;
  const email = orThrow(verifiedEmail(claims), emailUnverified);
  const existing = await lockAdminByEmail(tx, email);
  if (existing !== undefined && existing.disabled_at !== null) throw accountDisabled();
  const admin = existing ?? (await create(tx, person, email, role));
  const { iss: issuer, sub: subject } = claims;
  if (await hasAdminIdentity(tx, admin.id, issuer)) throw identityTaken();
  const id = newId();
  await insertAdminIdentity(tx, { id, admin_id: admin.id, issuer, subject, email, linked_at: at, last_used_at: at });
  const changes = [{ field: 'issuer', old: null, new: issuer }];
  const about = { resourceType: 'admin', resourceId: admin.id, at, changes };
  await recordPlatformAudit(tx, actorOf({ ability: 'admin', id: admin.id }, origin), {
    event: 'ADMIN.IDENTITY_LINKED',
    ...about,
  });
  if (existing === undefined) return admin;
  const { publicUrl, oidc } = services.config;
  const provider = oidc?.name ?? issuer;
  await services.mail.enqueue(tx, identityLinkedMail({ to: admin.email, provider, at, publicUrl }));
  return admin;
}

async function create(
  tx: PlatformTransaction,
  { claims, origin, at }: SignedOnPerson,
  email: string,
  role: AdminRole,
): Promise<Admin> {
  const name = displayName(claims, email);
  const admin = await createAdmin(tx, { email, name, role, passwordHash: null, at });
  const changes = (['email', 'name', 'role'] as const).map((field) => ({ field, old: null, new: admin[field] }));
  const about = { resourceType: 'admin', resourceId: admin.id, at };
  await recordPlatformAudit(tx, actorOf({ ability: 'admin', id: admin.id }, origin), {
    event: 'ADMIN.CREATED',
    ...about,
    changes,
  });
  return admin;
}

/**
 * Gives the admin the role of the claim. The last super_admin with a password keeps the role and is refused instead.
 */
async function followClaim(
  tx: PlatformTransaction,
  { origin, at }: SignedOnPerson,
  admin: Admin,
  role: AdminRole,
  superAdmins: readonly string[],
): Promise<void> {
  if (superAdmins.length === 1 && superAdmins[0] === admin.id) {
    throw new AppError(
      'ADMIN.LAST_SUPER_ADMIN',
      `You are the last super_admin who can log in with a password, and the provider gives you the role ${role}. Log in with your password, and make another admin a super_admin first.`,
    );
  }
  await saveAdmin(tx, { ...admin, role, updated_at: at });
  const changes = [{ field: 'role', old: admin.role, new: role }];
  const about = { resourceType: 'admin', resourceId: admin.id, at };
  await recordPlatformAudit(tx, actorOf({ ability: 'admin', id: admin.id }, origin), {
    event: 'ADMIN.UPDATED',
    ...about,
    changes,
  });
}
