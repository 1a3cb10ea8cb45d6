import type { PlatformTransaction } from '../../../db/database.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import type { EmailChangesTable } from '../../../db/tables/platform/authentication.ts';
import type { UsersTable } from '../../../db/tables/platform/identity.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import { emailChangeRevertedMail, formerEmailMail } from '../../../mail/templates/email-change.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { changedFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import {
  deleteEmailChangesFrom,
  deleteEmailChangesSince,
  type EmailChangeLink,
  findEmailChange,
  isAddressReserved,
  lockEmailChange,
  markEmailChangeConfirmed,
} from './email-change-queries.ts';
import { endMailLinks, issueMailLinks, linkHashes, linkInvalid } from './mail-link-service.ts';
import { disableUser } from './profile-service.ts';
import type { Origin } from './service.ts';
import { revokeOtherTokens, revokeTokensOf } from './tokens.ts';
import { endTwoFactorSince } from './two-factor-service.ts';
import { lockUser, updateUserRow } from './user-queries.ts';

type LinkServices = Pick<Services, 'clock' | 'config' | 'keyring' | 'mail' | 'platform'>;

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

/** A link of a change that somebody followed. */
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
  services: LinkServices,
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
      await markEmailChangeConfirmed(tx, change.id, at);
      await deleteEmailChangesFrom(tx, user.id, email);
      await endMailLinks(tx, user.id);
      await revokeOtherTokens(tx, 'tenant', user.id, change.session_id);
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
 * confirmed. The account may be stolen: every session ends, the password and whatever was set up since the request (an
 * authenticator app, an identity of single sign-on) no longer work, and the old address gets a link to choose a
 * password. Returns the old address.
 *
 * Throws 422 `AUTH.LINK_INVALID`. If another account has the old address by now, disables the user and throws 409
 * `ACCOUNT.EMAIL_TAKEN`.
 */
export async function revertEmailChange<Locked>(
  services: LinkServices,
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
  services: LinkServices,
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
  await revokeTokensOf(tx, 'tenant', user.id);
  await endTwoFactorSince(services, tx, { ability: 'tenant', id: user.id }, { since: change.created_at, actor });
  await unlinkIdentitiesSince(tx, { actor, userId: user.id, since: change.created_at, at });
  if (isConfirmed) await invitations.move(tx, locked, { from: change.new_email, to: email, actor, at });
  const changes = [{ field: 'email', old: isConfirmed ? user.email : change.new_email, new: email }];
  await recordPlatformAudit(tx, actor, { ...auditOf(user.id, 'EMAIL_CHANGE_REVERTED'), changes, at });
  const links = await issueMailLinks(services, tx, { userId: user.id, purposes: ['reset_password'] }, at);
  const { publicUrl } = services.config;
  await services.mail.enqueue(tx, emailChangeRevertedMail({ ...links, to: email, publicUrl, isConfirmed }));
  if (isConfirmed) await services.mail.enqueue(tx, formerEmailMail({ to: user.email, publicUrl }));
}

/** Disables a user whose old address cannot be given back, so that a thief cannot use the account. */
async function lockDown(
  services: LinkServices,
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
  { keyring, platform }: LinkServices,
  link: EmailChangeLink,
  token: string,
): Promise<EmailChangesTable> {
  const found = await findEmailChange(platform, link, linkHashes(keyring, token));
  if (found === undefined) throw linkInvalid();
  return found;
}

/** Locks the enabled user and then the change, in the order of all other code. Throws 422 `AUTH.LINK_INVALID`. */
async function lockChange({ clock }: LinkServices, tx: PlatformTransaction, found: EmailChangesTable) {
  const user = await lockUser(tx, 'id', found.user_id);
  const change = await lockEmailChange(tx, found.id);
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
