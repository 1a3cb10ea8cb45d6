import { randomBytes } from 'node:crypto';
import type { PlatformTransaction } from '../../../db/database.ts';
import type { UsersTable } from '../../../db/tables/platform/identity.ts';
import type { AuthenticatedUser } from '../../../http/routes/user-route.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { foldEmail } from '../../../lib/email.ts';
import { AppError, orThrow } from '../../../lib/error.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import { hashPassword } from '../../../lib/password.ts';
import { passwordResetMail, resetPasswordMail, verifyEmailMail } from '../../../mail/templates/account.ts';
import { linkMinutes } from '../../../mail/templates/layout.ts';
import type { KeyServices, MailServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { lockSubject, markEmailVerified, updateUserRow } from './account-queries.ts';
import {
  deleteMailLinksOf,
  findMailLinkOwner,
  insertMailLinks,
  type MailLinkPurpose,
  takeMailLink,
  takePendingEmailChange,
} from './mail-link-queries.ts';
import { refuseOwnAddress } from './own-address.ts';
import type { Origin } from './service.ts';
import { endSessions } from './session-service.ts';

const lifetimeSeconds = linkMinutes * 60;

/** New links. Only the mail contains the token of a link; the database stores its hash. */
export interface IssuedLinks {
  readonly tokens: Readonly<Record<MailLinkPurpose, string>>;
  readonly expiresAt: Timestamp;
}

/** The user and the purposes for which links are requested. */
export interface LinkRequest {
  readonly userId: string;
  readonly purposes: readonly [MailLinkPurpose, ...MailLinkPurpose[]];
}

/**
 * Creates links of a user that work for 60 minutes, in the caller's transaction, which has locked the user. Earlier links
 * stay valid, so that nobody can end the link in a mail by requesting another one; the use of one link ends all of its
 * purpose. A null request creates no links but does the same work, so that the response time does not reveal whether the
 * user exists. The tokens of purposes that were not requested are not stored and do not work.
 */
export async function issueMailLinks(
  { keyring }: KeyServices,
  tx: PlatformTransaction,
  request: LinkRequest | null,
  at: Timestamp,
): Promise<IssuedLinks> {
  const tokens = { verify_email: newLinkToken(), reset_password: newLinkToken() };
  const expiresAt = addSeconds(at, lifetimeSeconds);
  if (request === null) {
    // No user has an empty id, so this deletes nothing.
    await deleteMailLinksOf(tx, '');
    return { tokens, expiresAt };
  }
  const [first, ...others] = request.purposes;
  const row = (purpose: MailLinkPurpose) => {
    const token_hash = keyring.hash(tokens[purpose]);
    return { user_id: request.userId, purpose, token_hash, created_at: at, expires_at: expiresAt };
  };
  await insertMailLinks(tx, [row(first), ...others.map(row)]);
  return { tokens, expiresAt };
}

/** Returns the id of the user to whom the link of a token belongs. Throws 422 `AUTH.LINK_INVALID`. */
async function ownerOfMailLink(
  { clock, keyring, platform }: MailServices,
  purpose: MailLinkPurpose,
  token: string,
): Promise<string> {
  const owner = await findMailLinkOwner(platform.query, purpose, linkHashes(keyring, token), clock.now());
  if (owner === undefined) throw linkInvalid();
  return owner;
}

/**
 * Uses up a user's links of a purpose with one of them, in the caller's transaction. Throws 422 `AUTH.LINK_INVALID` if
 * one of them was used, or if the link has expired or belongs to another user.
 */
async function useMailLink(
  { keyring }: KeyServices,
  tx: PlatformTransaction,
  link: { readonly userId: string; readonly purpose: MailLinkPurpose; readonly token: string },
  at: Timestamp,
): Promise<void> {
  const { token, ...rest } = link;
  if (!(await takeMailLink(tx, { ...rest, tokenHashes: linkHashes(keyring, token) }, at))) throw linkInvalid();
}

/**
 * Invalidates every link that was mailed to a user, in the caller's transaction, and cancels a pending change of the
 * address. Confirmed changes can still be reverted, because a thief may have ended the links.
 */
export async function endMailLinks(tx: PlatformTransaction, userId: string): Promise<void> {
  await deleteMailLinksOf(tx, userId);
  await takePendingEmailChange(tx, userId);
}

/** Creates the token of a mailed link: 256 random bits. */
export function newLinkToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the hashes under which the token of a link may be stored: of the current and of each previous key. */
export function linkHashes(keyring: Keyring, token: string): readonly string[] {
  return [keyring.hash(token), ...keyring.previousHashes(token)];
}

/** Returns the same error for a link that was used, was replaced, has expired or is unknown. */
export function linkInvalid(): AppError {
  return new AppError(
    'AUTH.LINK_INVALID',
    'This link was already used, was replaced or has expired. Request a new link.',
  );
}

/**
 * Verifies the address of the logged-in user with the token of a link. Returns the updated user. Throws 422
 * `AUTH.LINK_INVALID`, also for another user's token.
 */
export function verifyEmail(
  services: MailServices,
  actor: Actor,
  user: AuthenticatedUser,
  token: string,
): Promise<AuthenticatedUser> {
  return services.platform.transaction(async (tx) => {
    const at = services.clock.now();
    const row = orThrow(await lockSubject(tx, 'tenant', 'id', user.id), linkInvalid);
    await useMailLink(services, tx, { userId: user.id, purpose: 'verify_email', token }, at);
    if (row.email_verified_at === null) await noteVerified(tx, actor, user.id, at);
    return { ...user, email_verified_at: row.email_verified_at ?? at };
  });
}

/** Marks a user's address as verified and records it in the audit log, in the caller's transaction. */
export async function noteVerified(
  tx: PlatformTransaction,
  actor: Actor,
  userId: string,
  at: Timestamp,
): Promise<void> {
  await markEmailVerified(tx, userId, at);
  await recordPlatformAudit(tx, actor, {
    event: 'USER.EMAIL_VERIFIED',
    resourceType: 'user',
    resourceId: userId,
    changes: [{ field: 'email_verified_at', old: null, new: at }],
    at,
  });
}

/**
 * Mails a new link; earlier ones stay valid. Does nothing if the address is already verified, and sends nothing if it has
 * got enough mail.
 */
export async function resendVerification(services: MailServices, actor: Actor, user: AuthenticatedUser): Promise<void> {
  await services.platform.transaction(async (tx) => {
    const at = services.clock.now();
    const row = await lockSubject(tx, 'tenant', 'id', user.id);
    if (row === undefined || row.email_verified_at !== null) return;
    const target = { resourceType: 'user', resourceId: user.id };
    await recordPlatformAudit(tx, actor, { event: 'USER.VERIFICATION_RESENT', ...target, at });
    if (!(await services.mail.admit(tx, { kind: 'registration', to: row.email }))) return;
    const links = await issueMailLinks(services, tx, { userId: user.id, purposes: ['verify_email'] }, at);
    const { publicUrl } = services.config;
    await services.mail.enqueue(tx, verifyEmailMail({ ...links, to: row.email, publicUrl }));
  });
  services.mail.kick();
}

/**
 * Mails a link to choose a password. For an address without an enabled user it does the same work, including an empty
 * mail, but sends nothing, so that the response time does not reveal whether the address has an account. An address that
 * has got enough links gets no further one, and keeps those that it has.
 */
export async function requestPasswordReset(services: MailServices, email: string, origin: Origin): Promise<void> {
  await services.platform.transaction(async (tx) => {
    const at = services.clock.now();
    const to = foldEmail(email);
    const found = await lockSubject(tx, 'tenant', 'email', to);
    const user = found?.disabled_at === null ? found : undefined;
    const isAdmitted = await services.mail.admit(tx, { kind: 'password_reset', to });
    const request: LinkRequest | null =
      user === undefined || !isAdmitted ? null : { userId: user.id, purposes: ['reset_password'] };
    const links = await issueMailLinks(services, tx, request, at);
    await recordPlatformAudit(tx, unknownUser(origin), {
      event: 'USER.PASSWORD_RESET_REQUESTED',
      resourceType: 'user',
      resourceId: user?.id ?? null,
      at,
    });
    const { publicUrl } = services.config;
    await services.mail.enqueue(tx, request === null ? null : resetPasswordMail({ ...links, to, publicUrl }));
  });
  services.mail.kick();
}

/** Mails an enabled user a link to choose a password, in the caller's transaction, which has locked the user. */
export async function mailPasswordReset(
  services: MailServices,
  tx: PlatformTransaction,
  user: Pick<UsersTable, 'id' | 'email'>,
  at: Timestamp,
): Promise<void> {
  const links = await issueMailLinks(services, tx, { userId: user.id, purposes: ['reset_password'] }, at);
  const { publicUrl } = services.config;
  await services.mail.enqueue(tx, resetPasswordMail({ ...links, to: user.email, publicUrl }));
}

/**
 * Sets the password with the token of a link. Revokes every session and every other link of the user. The link proves
 * that the user reads the mailbox, so the address becomes verified too. Throws 422 `AUTH.LINK_INVALID`, and 422 for the
 * own address as a password.
 */
export async function resetPassword(
  services: MailServices,
  reset: { readonly token: string; readonly password: string },
  origin: Origin,
): Promise<void> {
  const userId = await ownerOfMailLink(services, 'reset_password', reset.token);
  // Hashed before the transaction, because a transaction must not wait for anything but the database.
  const passwordHash = await hashPassword(reset.password);
  await services.platform.transaction((tx) => applyReset(services, tx, { userId, ...reset, passwordHash }, origin));
  services.mail.kick();
}

async function applyReset(
  services: MailServices,
  tx: PlatformTransaction,
  {
    userId,
    token,
    password,
    passwordHash,
  }: { readonly userId: string; readonly token: string; readonly password: string; readonly passwordHash: string },
  origin: Origin,
): Promise<void> {
  const at = services.clock.now();
  // Deadlock-free: the user is always locked before the link.
  const user = await lockSubject(tx, 'tenant', 'id', userId);
  if (user === undefined || user.disabled_at !== null) throw linkInvalid();
  refuseOwnAddress(password, user.email);
  await useMailLink(services, tx, { userId, purpose: 'reset_password', token }, at);
  await updateUserRow(tx, userId, { password_hash: passwordHash, updated_at: at });
  await endMailLinks(tx, userId);
  await endSessions(tx, { ability: 'tenant', id: userId });
  const actor: Actor = { type: 'user', id: userId, ...origin };
  const target = { resourceType: 'user', resourceId: userId };
  await recordPlatformAudit(tx, actor, { event: 'USER.PASSWORD_RESET', ...target, at });
  if (user.email_verified_at === null) await noteVerified(tx, actor, userId, at);
  const { publicUrl } = services.config;
  await services.mail.enqueue(tx, passwordResetMail({ to: user.email, at, publicUrl }));
}

/** Returns the actor of an unauthenticated request. */
function unknownUser(origin: Origin): Actor {
  return { type: 'user', id: null, ...origin };
}
