import type { PlatformTransaction } from '../../../db/database.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import { findRow, insertRow, lockRow, updateRows } from '../../../db/rows.ts';
import type { EmailChangesTable, UsersTable } from '../../../db/tables/platform/identity.ts';
import type { AuthenticatedUser } from '../../../http/routes/user-route.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays, addSeconds } from '../../../lib/duration.ts';
import { AppError, orThrow, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import {
  addressInUseMail,
  confirmEmailMail,
  emailChangeNoticeMail,
  emailChangeRevertedMail,
  formerEmailMail,
} from '../../../mail/templates/email-change.ts';
import type { Lockout } from '../../../rate-limit/lockout.ts';
import type { MailServices, PlatformServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { changedFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { lockSubject, updateUserRow } from './account-queries.ts';
import { disableUser, provePassword } from './account-service.ts';
import {
  deleteEmailChangesFrom,
  deleteEmailChangesSince,
  type EmailChangeLink,
  findEmailChange,
  findPendingEmailChange,
  isAddressReserved,
  takePendingEmailChange,
} from './mail-link-queries.ts';
import { endMailLinks, issueMailLinks, linkHashes, linkInvalid, newLinkToken } from './mail-link-service.ts';
import { checkSecondFactor, limitingWrongCodes, secondFactorInvalid } from './second-factor-service.ts';
import type { Origin } from './service.ts';
import { endSessions } from './session-service.ts';
import { endTwoFactorSince } from './two-factor-service.ts';
import { twoFactorUndoDays } from './two-factor-undo-service.ts';

const confirmSeconds = 3_600;
const revertDays = 7;

interface EmailChangeRequest {
  readonly user: AuthenticatedUser;
  readonly actor: Actor;
  /** The session of the request, which a confirmation does not end. */
  readonly sessionId: string;
  /** The new address in its normalised spelling. */
  readonly email: string;
  readonly password: string;
  readonly code: string | undefined;
}

/**
 * Mails a link to the new address that confirms the change, and a notice to the old address with a link that reverts
 * it. Replaces a pending change. If another account has the new address, that account gets a mail instead of the link;
 * the work is the same, so that neither the response nor its time reveals it. An old address that was never verified
 * gets no notice, because its mailbox may belong to a stranger. A new address that has got enough mail gets none, and the
 * link that it got before stays valid.
 *
 * Throws 422 for a wrong password or the present address, 401 `AUTH.TWO_FACTOR_REQUIRED` or `AUTH.TWO_FACTOR_INVALID`,
 * 429 `AUTH.LOCKED_OUT` or `MAIL.LIMIT_REACHED`, and 409 `ACCOUNT.CHANGED`.
 */
export async function requestEmailChange(
  services: MailServices,
  lockout: Lockout,
  request: EmailChangeRequest,
): Promise<void> {
  const { user, actor, email, password, code } = request;
  const name = { ability: 'tenant', id: user.id } as const;
  const proof = { subject: name, password, field: 'password', ip: actor.ip ?? '' };
  const passwordHash = await provePassword(services, lockout, proof);
  if (email === user.email)
    throw validationError({ field: 'email', message: 'This is your address already. Enter another one.' });
  await limitingWrongCodes(services, name, () =>
    services.platform.transaction(async (tx) => {
      const before = await lockSubject(tx, 'tenant', 'id', user.id);
      const isCurrent = before?.password_hash === passwordHash && before.email === user.email;
      if (before === undefined || !isCurrent || before.disabled_at !== null) throw changedMeanwhile();
      if (!(await checkSecondFactor(services, tx, name, code, actor))) throw secondFactorInvalid();
      await startChange(services, tx, before, request);
      return true;
    }),
  );
  services.mail.kick();
}

async function startChange(
  services: MailServices,
  tx: PlatformTransaction,
  user: UsersTable,
  { actor, email, sessionId }: EmailChangeRequest,
): Promise<void> {
  const at = services.clock.now();
  const tokens = { confirm: newLinkToken(), revert: newLinkToken() };
  const replaced = await takePendingEmailChange(tx, user.id);
  const isAdmitted = await services.mail.admit(tx, { kind: 'address_change', to: email, sender: user.id });
  const kept = !isAdmitted && replaced?.new_email === email ? replaced : undefined;
  const change: EmailChangesTable = {
    id: newId(),
    user_id: user.id,
    session_id: sessionId,
    old_email: user.email,
    new_email: email,
    confirm_hash: kept?.confirm_hash ?? services.keyring.hash(tokens.confirm),
    revert_hash: services.keyring.hash(tokens.revert),
    created_at: at,
    expires_at: kept?.expires_at ?? addSeconds(at, confirmSeconds),
    revertible_until: user.email_verified_at === null ? at : addDays(at, revertDays),
    confirmed_at: null,
  };
  await insertRow(tx, 'email_changes', change);
  const changes = [{ field: 'email', old: user.email, new: email }];
  const about = { resourceType: 'user', resourceId: user.id, at };
  await recordPlatformAudit(tx, actor, { event: 'ACCOUNT.EMAIL_CHANGE_REQUESTED', ...about, changes });
  await enqueueMails(services, tx, change, { ...tokens, isAdmitted });
}

async function enqueueMails(
  { config, mail }: MailServices,
  tx: PlatformTransaction,
  change: EmailChangesTable,
  tokens: { readonly confirm: string; readonly revert: string; readonly isAdmitted: boolean },
): Promise<void> {
  const { publicUrl } = config;
  const { old_email: oldEmail, new_email: newEmail, created_at: now } = change;
  const owner = await findRow(tx, 'users', { email: newEmail });
  const isReserved = await isAddressReserved(tx, { email: newEmail, userId: change.user_id, now });
  const toOwner = owner?.disabled_at === null ? addressInUseMail({ to: newEmail, publicUrl }) : null;
  const link = { oldEmail, newEmail, publicUrl, token: tokens.confirm, expiresAt: change.expires_at };
  const isFree = owner === undefined && !isReserved;
  const toNew = isFree ? confirmEmailMail(link) : toOwner;
  await mail.enqueue(tx, tokens.isAdmitted ? toNew : null);
  const { revertible_until: expiresAt } = change;
  const notice = { oldEmail, newEmail, publicUrl, token: tokens.revert, expiresAt };
  await mail.enqueue(tx, expiresAt > now ? emailChangeNoticeMail(notice) : null);
}

/** Cancels the pending change of a user and invalidates both links. Does nothing without a pending change. */
export async function cancelEmailChange(
  { clock, platform }: PlatformServices,
  actor: Actor,
  userId: string,
): Promise<void> {
  await platform.transaction(async (tx) => {
    await lockSubject(tx, 'tenant', 'id', userId);
    const cancelled = await takePendingEmailChange(tx, userId);
    if (cancelled === undefined) return;
    const about = { resourceType: 'user', resourceId: userId, at: clock.now() };
    const changes = [{ field: 'email', old: cancelled.new_email, new: cancelled.old_email }];
    await recordPlatformAudit(tx, actor, { event: 'ACCOUNT.EMAIL_CHANGE_CANCELLED', ...about, changes });
  });
}

/** A change that waits for its confirmation. */
export interface PendingEmailChange {
  readonly email: string;
  readonly requested_at: Timestamp;
  /** When the link expires. */
  readonly expires_at: Timestamp;
}

/** Returns the change of a user that can still be confirmed, or null. */
export async function pendingEmailChange(
  { clock, platform }: PlatformServices,
  userId: string,
): Promise<PendingEmailChange | null> {
  const row = await findPendingEmailChange(platform, userId, clock.now());
  if (row === undefined) return null;
  return { email: row.new_email, requested_at: row.created_at, expires_at: row.expires_at };
}

/** Returns the error for a change that another request has overtaken. */
export function changedMeanwhile(): AppError {
  return new AppError('ACCOUNT.CHANGED', 'Another request changed the account meanwhile. Send the request again.');
}

/** Makes the open invitations of an account follow its address. Invitations are a feature above this one. */
export interface InvitationMover<Locked> {
  /** Locks what `move` changes, in the caller's transaction, before the user is locked. */
  readonly lock: (tx: PlatformTransaction, email: string) => Promise<Locked>;
  /** Moves the locked invitations of `from` to `to`, in the same transaction. */
  readonly move: (
    tx: PlatformTransaction,
    locked: Locked,
    addresses: { readonly from: string; readonly to: string; readonly actor: Actor; readonly at: Timestamp },
  ) => Promise<void>;
}

/** A followed link of a change. */
interface FollowedLink<Locked> {
  readonly token: string;
  readonly origin: Origin;
  readonly invitations: InvitationMover<Locked>;
  /** Unlinks the identities of single sign-on that the user linked at a time or later; a feature above this one. */
  readonly unlinkIdentitiesSince: (
    tx: PlatformTransaction,
    unlinking: { readonly actor: Actor; readonly userId: string; readonly since: Timestamp; readonly at: Timestamp },
  ) => Promise<void>;
}

/**
 * Gives the user the new address, which the link proves, with the token of the newest link. Ends every other session
 * than the one that requested the change, and every link that was mailed to the old address. Returns the new address.
 * Throws 422 `AUTH.LINK_INVALID`, and 409 `ACCOUNT.EMAIL_TAKEN` if another account has the address by now.
 */
export async function confirmEmailChange<Locked>(
  services: MailServices,
  followed: FollowedLink<Locked>,
): Promise<string> {
  const found = await findFollowed(services, 'confirm', followed.token);
  const confirmed = await refusingTakenAddress(() =>
    services.platform.transaction(async (tx) => {
      const locked = await followed.invitations.lock(tx, found.old_email);
      const { user, change, at } = await lockChange(services, tx, found);
      if (change.confirmed_at !== null || change.expires_at <= at) throw linkInvalid();
      const { new_email: email, old_email: from } = change;
      if (await isAddressReserved(tx, { email, userId: user.id, now: at })) throw addressTaken();
      const actor: Actor = { type: 'user', id: user.id, ...followed.origin };
      const after = { email, email_verified_at: at };
      await updateUserRow(tx, user.id, { ...after, updated_at: at });
      await updateRows(tx, 'email_changes', change.id, { confirmed_at: at });
      await deleteEmailChangesFrom(tx, user.id, email);
      await endMailLinks(tx, user.id);
      await endSessions(tx, { ability: 'tenant', id: user.id }, change.session_id);
      await followed.invitations.move(tx, locked, { from, to: email, actor, at });
      const changes = changedFields<Partial<UsersTable>>(user, after, ['email', 'email_verified_at']);
      await recordPlatformAudit(tx, actor, { ...auditOf(user.id, 'EMAIL_CHANGED'), changes, at });
      return email;
    }),
  );
  services.mail.kick();
  return confirmed;
}

/**
 * Gives the user the old address back, also if the user has changed it again since, or cancels a change that was not
 * confirmed. The account may be stolen: every session ends, and the password stops working. So do identities of single
 * sign-on that were linked since the request, and an authenticator app that was set up since, or so recently before that
 * its own link could still undo it. The old address gets a link to choose a password. Returns the old address.
 *
 * Throws 422 `AUTH.LINK_INVALID`. If another account has the old address by now, disables the user and throws 409
 * `ACCOUNT.EMAIL_TAKEN`.
 */
export async function revertEmailChange<Locked>(
  services: MailServices,
  followed: FollowedLink<Locked>,
): Promise<string> {
  const found = await findFollowed(services, 'revert', followed.token);
  try {
    await services.platform.transaction((tx) => applyRevert(services, tx, found, followed));
  } catch (error) {
    if (!isUniqueViolation(error, 'users_email_unique')) throw error;
    await services.platform.transaction((tx) => lockDown(services, tx, found, followed.origin));
    throw addressTaken();
  }
  services.mail.kick();
  return found.old_email;
}

async function applyRevert<Locked>(
  services: MailServices,
  tx: PlatformTransaction,
  found: EmailChangesTable,
  { origin, invitations, unlinkIdentitiesSince }: FollowedLink<Locked>,
): Promise<void> {
  const locked = await invitations.lock(tx, found.new_email);
  const { user, change, at } = await lockChange(services, tx, found);
  if (change.revertible_until <= at) throw linkInvalid();
  const { old_email: email } = change;
  const actor: Actor = { type: 'user', id: user.id, ...origin };
  const isConfirmed = change.confirmed_at !== null;
  await updateUserRow(tx, user.id, { email, email_verified_at: at, password_hash: null, updated_at: at });
  await deleteEmailChangesSince(tx, user.id, change.created_at);
  await endMailLinks(tx, user.id);
  await endSessions(tx, { ability: 'tenant', id: user.id });
  // A thief who turns it on first would lock the owner out. One that its owner could not undo any more stays.
  const since = addDays(change.created_at, -twoFactorUndoDays);
  await endTwoFactorSince(services, tx, { ability: 'tenant', id: user.id }, { since, actor });
  await unlinkIdentitiesSince(tx, { actor, userId: user.id, since: change.created_at, at });
  if (isConfirmed) await invitations.move(tx, locked, { from: change.new_email, to: email, actor, at });
  const changes = [{ field: 'email', old: isConfirmed ? user.email : change.new_email, new: email }];
  await recordPlatformAudit(tx, actor, { ...auditOf(user.id, 'EMAIL_CHANGE_REVERTED'), changes, at });
  const links = await issueMailLinks(services, tx, { userId: user.id, purposes: ['reset_password'] }, at);
  const { publicUrl } = services.config;
  await services.mail.enqueue(tx, emailChangeRevertedMail({ ...links, to: email, publicUrl, isConfirmed }));
  if (isConfirmed) await services.mail.enqueue(tx, formerEmailMail({ to: user.email, publicUrl }));
}

/** Disables a user if the old address cannot be restored, so that a thief cannot use the account. */
async function lockDown(
  services: MailServices,
  tx: PlatformTransaction,
  found: EmailChangesTable,
  origin: Origin,
): Promise<void> {
  const { user, change, at } = await lockChange(services, tx, found);
  if (change.revertible_until <= at) throw linkInvalid();
  await disableUser(tx, user.id, at);
  const actor: Actor = { type: 'user', id: user.id, ...origin };
  const changes = changedFields({ disabled: false }, { disabled: true }, ['disabled']);
  await recordPlatformAudit(tx, actor, {
    event: 'USER.DISABLED',
    resourceType: 'user',
    resourceId: user.id,
    changes,
    at,
  });
}

async function findFollowed(
  { keyring, platform }: MailServices,
  link: EmailChangeLink,
  token: string,
): Promise<EmailChangesTable> {
  const found = orThrow(await findEmailChange(platform, link, linkHashes(keyring, token)), linkInvalid);
  return found;
}

/** Locks the enabled user and then the change, in the order of all other code. Throws 422 `AUTH.LINK_INVALID`. */
async function lockChange({ clock }: MailServices, tx: PlatformTransaction, found: EmailChangesTable) {
  const user = await lockSubject(tx, 'tenant', 'id', found.user_id);
  const change = await lockRow(tx, 'email_changes', found.id);
  if (user === undefined || user.disabled_at !== null || change === undefined) throw linkInvalid();
  return { user, change, at: clock.now() };
}

async function refusingTakenAddress<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw isUniqueViolation(error, 'users_email_unique') ? addressTaken() : error;
  }
}

function addressTaken(): AppError {
  return new AppError(
    'ACCOUNT.EMAIL_TAKEN',
    'Another account has this address by now. Log in to that account, or ask the operator of the service.',
  );
}

function auditOf(userId: string, verb: 'EMAIL_CHANGED' | 'EMAIL_CHANGE_REVERTED') {
  return { event: `ACCOUNT.${verb}`, resourceType: 'user', resourceId: userId };
}
