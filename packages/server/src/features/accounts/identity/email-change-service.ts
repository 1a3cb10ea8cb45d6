import type { PlatformTransaction } from '../../../db/database.ts';
import type { EmailChangesTable } from '../../../db/tables/platform/authentication.ts';
import type { UsersTable } from '../../../db/tables/platform/identity.ts';
import type { AuthenticatedUser } from '../../../http/routes/user-route.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays, addSeconds } from '../../../lib/duration.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import { addressInUseMail, confirmEmailMail, emailChangeNoticeMail } from '../../../mail/templates/email-change.ts';
import type { Lockout } from '../../../rate-limit/lockout.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import {
  findPendingEmailChange,
  insertEmailChange,
  isAddressReserved,
  takePendingEmailChange,
} from './email-change-queries.ts';
import { newLinkToken } from './mail-link-service.ts';
import { provePassword } from './profile-service.ts';
import { checkSecondFactor, limitingWrongCodes, secondFactorInvalid } from './second-factor-service.ts';
import { findUserByEmail, lockUser } from './user-queries.ts';

const confirmSeconds = 3_600;
const revertDays = 7;

type EmailChangeServices = Pick<Services, 'clock' | 'config' | 'keyring' | 'mail' | 'platform' | 'rateLimits'>;

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
 * gets no notice, because its mailbox may belong to a stranger.
 *
 * Throws 422 for a wrong password or the present address, 401 `AUTH.TWO_FACTOR_REQUIRED` or `AUTH.TWO_FACTOR_INVALID`,
 * 429 `AUTH.LOCKED_OUT`, and 409 `ACCOUNT.CHANGED`.
 */
export async function requestEmailChange(
  services: EmailChangeServices,
  lockout: Lockout,
  request: EmailChangeRequest,
): Promise<void> {
  const { user, actor, email, password, code } = request;
  const name = { ability: 'tenant', id: user.id } as const;
  const proof = { subject: name, password, field: 'password', ip: actor.ip ?? '' };
  const passwordHash = await provePassword(services, lockout, proof);
  if (email === user.email) throw validationError({ field: 'email', message: 'is your address already' });
  await limitingWrongCodes(services, name, () =>
    services.platform.transaction(async (tx) => {
      const before = await lockUser(tx, 'id', user.id);
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
  services: EmailChangeServices,
  tx: PlatformTransaction,
  user: UsersTable,
  { actor, email, sessionId }: EmailChangeRequest,
): Promise<void> {
  const at = services.clock.now();
  const tokens = { confirm: newLinkToken(), revert: newLinkToken() };
  await takePendingEmailChange(tx, user.id);
  const change: EmailChangesTable = {
    id: newId(),
    user_id: user.id,
    session_id: sessionId,
    old_email: user.email,
    new_email: email,
    confirm_hash: services.keyring.hash(tokens.confirm),
    revert_hash: services.keyring.hash(tokens.revert),
    created_at: at,
    expires_at: addSeconds(at, confirmSeconds),
    revertible_until: user.email_verified_at === null ? at : addDays(at, revertDays),
    confirmed_at: null,
  };
  await insertEmailChange(tx, change);
  const changes = [{ field: 'email', old: user.email, new: email }];
  const about = { resourceType: 'user', resourceId: user.id, at };
  await recordPlatformAudit(tx, actor, { event: 'ACCOUNT.EMAIL_CHANGE_REQUESTED', ...about, changes });
  await enqueueMails(services, tx, change, tokens);
}

async function enqueueMails(
  { config, mail }: EmailChangeServices,
  tx: PlatformTransaction,
  change: EmailChangesTable,
  tokens: { readonly confirm: string; readonly revert: string },
): Promise<void> {
  const { publicUrl } = config;
  const { old_email: oldEmail, new_email: newEmail, created_at: now } = change;
  const owner = await findUserByEmail(tx, newEmail);
  const isReserved = await isAddressReserved(tx, { email: newEmail, userId: change.user_id, now });
  const toOwner = owner?.disabled_at === null ? addressInUseMail({ to: newEmail, publicUrl }) : null;
  const link = { oldEmail, newEmail, publicUrl, token: tokens.confirm, expiresAt: change.expires_at };
  const isFree = owner === undefined && !isReserved;
  await mail.enqueue(tx, isFree ? confirmEmailMail(link) : toOwner);
  const { revertible_until: expiresAt } = change;
  const notice = { oldEmail, newEmail, publicUrl, token: tokens.revert, expiresAt };
  await mail.enqueue(tx, expiresAt > now ? emailChangeNoticeMail(notice) : null);
}

/** Cancels the pending change of a user. Neither of its links works any more. Does nothing if there is none. */
export async function cancelEmailChange(
  { clock, platform }: Pick<Services, 'clock' | 'platform'>,
  actor: Actor,
  userId: string,
): Promise<void> {
  await platform.transaction(async (tx) => {
    await lockUser(tx, 'id', userId);
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

/** Returns the change of a user that can still be confirmed; null if there is none. */
export async function pendingEmailChange(
  { clock, platform }: Pick<Services, 'clock' | 'platform'>,
  userId: string,
): Promise<PendingEmailChange | null> {
  const row = await findPendingEmailChange(platform, userId, clock.now());
  if (row === undefined) return null;
  return { email: row.new_email, requested_at: row.created_at, expires_at: row.expires_at };
}

function changedMeanwhile(): AppError {
  return new AppError('ACCOUNT.CHANGED', 'Another request changed the account meanwhile. Send the request again.');
}
