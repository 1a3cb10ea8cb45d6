import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { insertRow } from '../../../db/rows.ts';
import type { AdminRole, UsersTable } from '../../../db/tables/platform/identity.ts';
import { clientNetwork } from '../../../lib/cidr.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { foldEmail } from '../../../lib/email.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import { verifyPassword } from '../../../lib/password.ts';
import type { Lockout } from '../../../rate-limit/lockout.ts';
import type { PlatformServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import type { Person } from '../../tenant-core/personal-data/personal-data.ts';
import {
  findPasswordHash,
  findUserIdByEmail,
  insertAdmin,
  isUserIdTaken,
  lockSubject,
  updateSubject,
  updateUserRow,
  upsertVerifiedUser,
} from './account-queries.ts';
import { listFormerEmails, takePendingEmailChange } from './mail-link-queries.ts';
import { endMailLinks, noteVerified } from './mail-link-service.ts';
import { endSessions } from './session-service.ts';
import type { Admin } from './stored-admin.ts';
import type { SubjectName } from './subject.ts';
import { deleteRecoveryCodes, deleteTwoFactor } from './two-factor-queries.ts';

export {
  deleteUsersWithoutTenant,
  listTenantsOfUser,
  lockEffectiveSuperAdmins,
  lockSubject,
  saveAdmin,
  setAdminPassword,
  updateSubject,
} from './account-queries.ts';
export type { Admin } from './stored-admin.ts';

/** A person with a proven address: the person used a mailed link, or an operator confirmed the address. */
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
  const row = { id: newId(), email: foldEmail(person.email), name, password_hash: passwordHash };
  const stamps = { email_verified_at: at, disabled_at: null, created_at: at, updated_at: at };
  const user = await upsertVerifiedUser(tx, { ...row, ...stamps });
  if (user === undefined) return undefined;
  await endSessions(tx, { ability: 'tenant', id: user.id });
  await endMailLinks(tx, user.id);
  return user;
}

/** A person with an address that a provider of single sign-on has verified. */
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
  const row = { id: newId(), email: foldEmail(person.email), name, password_hash: null, email_verified_at: at };
  const user = { ...row, disabled_at: null, created_at: at, updated_at: at };
  await insertRow(tx, 'users', user);
  return user;
}

/** Reads a user by address and locks the row until the transaction ends. Returns undefined if there is none. */
export function lockUserByEmail(tx: PlatformTransaction, email: string): Promise<UsersTable | undefined> {
  return lockSubject(tx, 'tenant', 'email', foldEmail(email));
}

/**
 * Gives a locked user with an unverified address to the proven owner of the address. Another person may have registered
 * it, so the password, the sessions, the mailed links and the second factor end.
 */
export async function surrenderUnverifiedUser(
  tx: PlatformTransaction,
  actor: Actor,
  userId: string,
  at: Timestamp,
): Promise<void> {
  await updateUserRow(tx, userId, { password_hash: null, updated_at: at });
  await endSessions(tx, { ability: 'tenant', id: userId });
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
  await insertRow(tx, 'users', {
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

interface NewAdmin {
  readonly email: string;
  readonly name: string;
  readonly role: AdminRole;
  /** Null for an admin who is invited and sets the password when accepting the invitation. */
  readonly passwordHash: string | null;
  readonly at: Timestamp;
}

/**
 * Inserts an enabled admin, in the caller's transaction. Fails with a violation of `admins_email_unique` if another
 * admin has the address.
 */
export async function createAdmin(tx: PlatformTransaction, input: NewAdmin): Promise<Admin> {
  const admin: Admin = {
    id: newId(),
    email: foldEmail(input.email),
    name: input.name,
    role: input.role,
    password_hash: input.passwordHash,
    disabled_at: null,
    created_at: input.at,
    updated_at: input.at,
  };
  await insertAdmin(tx, admin);
  return admin;
}

/** Reads a user by id and locks the row until the transaction ends. Returns undefined if there is no such user. */
export function lockAccount(tx: PlatformTransaction, id: string): Promise<UsersTable | undefined> {
  return lockSubject(tx, 'tenant', 'id', id);
}

/** Reads an admin by id and locks the row until the transaction ends. Returns undefined if there is none. */
export function lockAdmin(tx: PlatformTransaction, id: string): Promise<Admin | undefined> {
  return lockSubject(tx, 'admin', 'id', id);
}

/** Reads an admin by address and locks the row until the transaction ends. Returns undefined if there is none. */
export function lockAdminByEmail(tx: PlatformTransaction, email: string): Promise<Admin | undefined> {
  return lockSubject(tx, 'admin', 'email', foldEmail(email));
}

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
  { platform }: PlatformServices,
  lockout: Lockout,
  { subject, password, field, ip }: PasswordProof,
): Promise<string> {
  if ((await findPasswordHash(platform, subject)) === null) throw noPassword();
  const attempt = { account: `password:${subject.id}`, address: clientNetwork(ip) };
  const { subject: passwordHash } = await lockout.attempt(attempt, async () => {
    const hash = await findPasswordHash(platform, subject);
    return (await verifyPassword(hash, password)) ? hash : null;
  });
  if (passwordHash === null) throw validationError({ field, message: 'The password is incorrect.' });
  return passwordHash;
}

/** Returns true if an enabled user has a password, and not only single sign-on. */
export async function hasPassword(platform: PlatformDb, userId: string): Promise<boolean> {
  return (await findPasswordHash(platform, { ability: 'tenant', id: userId })) !== null;
}

/** Returns the error for an action that a user without a password cannot confirm. */
export function noPassword(): AppError {
  return new AppError(
    'ACCOUNT.NO_PASSWORD',
    'Your account has no password yet. Request a link with POST /api/v1/auth/forgot-password and choose one first.',
  );
}

/**
 * Sets the password of a user or admin, ends every session except `keptSessionId`, and cancels a pending change of the
 * address, in the caller's transaction.
 */
export async function changePassword(
  tx: PlatformTransaction,
  subject: SubjectName,
  change: { readonly passwordHash: string; readonly keptSessionId: string; readonly at: Timestamp },
): Promise<void> {
  await updateSubject(tx, subject, { password_hash: change.passwordHash, updated_at: change.at });
  await endSessions(tx, subject, change.keptSessionId);
  if (subject.ability === 'tenant') await takePendingEmailChange(tx, subject.id);
}

/** Disables a user, who can then no longer log in, and revokes every token of the user, in the caller's transaction. */
export async function disableUser(tx: PlatformTransaction, id: string, at: Timestamp): Promise<void> {
  await updateUserRow(tx, id, { disabled_at: at, updated_at: at });
  await endSessions(tx, { ability: 'tenant', id: id });
}

/** Enables a disabled user, in the caller's transaction. */
export async function enableUser(tx: PlatformTransaction, id: string, at: Timestamp): Promise<void> {
  await updateUserRow(tx, id, { disabled_at: null, updated_at: at });
}

/** Returns the person of an export or erasure, disabled or not; undefined if there is no such user. */
export async function findPerson(platform: PlatformDb, id: string): Promise<Person | undefined> {
  const query = platform.query.selectFrom('users').select(['id', 'email', 'name']).where('id', '=', id);
  const user = await query.executeTakeFirst();
  return user && { ...user, formerEmails: await listFormerEmails(platform, id) };
}
