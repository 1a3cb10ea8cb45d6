import type { PlatformTransaction } from '../../../db/database.ts';
import type { AuthenticatedUser } from '../../../http/routes/user-route.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { verifyEmailMail } from '../../../mail/templates/verify-email.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { issueMailLinks, linkInvalid, useMailLink } from './mail-link-service.ts';
import { lockUser, markEmailVerified } from './user-queries.ts';

/**
 * Verifies the address of the logged-in user with the token of the newest link. Returns the updated user. Throws 422
 * `AUTH.LINK_INVALID`, also for another user's token.
 */
export function verifyEmail(
  services: Pick<Services, 'clock' | 'keyring' | 'platform'>,
  actor: Actor,
  user: AuthenticatedUser,
  token: string,
): Promise<AuthenticatedUser> {
  return services.platform.transaction(async (tx) => {
    const at = services.clock.now();
    const row = await lockUser(tx, 'id', user.id);
    if (row === undefined) throw linkInvalid();
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

/** Mails a new link, which invalidates the previous one. Does nothing if the address is already verified. */
export async function resendVerification(
  services: Pick<Services, 'clock' | 'config' | 'keyring' | 'mail' | 'platform'>,
  actor: Actor,
  user: AuthenticatedUser,
): Promise<void> {
  await services.platform.transaction(async (tx) => {
    const at = services.clock.now();
    const row = await lockUser(tx, 'id', user.id);
    if (row === undefined || row.email_verified_at !== null) return;
    const links = await issueMailLinks(services, tx, { userId: user.id, purposes: ['verify_email'] }, at);
    const target = { resourceType: 'user', resourceId: user.id };
    await recordPlatformAudit(tx, actor, { event: 'USER.VERIFICATION_RESENT', ...target, at });
    const { publicUrl } = services.config;
    await services.mail.enqueue(tx, verifyEmailMail({ ...links, to: row.email, publicUrl }));
  });
  services.mail.kick();
}
