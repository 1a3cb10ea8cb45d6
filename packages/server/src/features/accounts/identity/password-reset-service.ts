import type { PlatformTransaction } from '../../../db/database.ts';
import type { UsersTable } from '../../../db/tables/platform/identity.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { normalizeEmail } from '../../../lib/email.ts';
import { hashPassword } from '../../../lib/password.ts';
import { passwordChangedMail } from '../../../mail/templates/password-changed.ts';
import { resetPasswordMail } from '../../../mail/templates/reset-password.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { noteVerified } from './email-verification-service.ts';
import { endMailLinks, issueMailLinks, linkInvalid, ownerOfMailLink, useMailLink } from './mail-link-service.ts';
import type { Origin } from './service.ts';
import { revokeTokensOf } from './tokens.ts';
import { lockUser, updateUserRow } from './user-queries.ts';

type ResetServices = Pick<Services, 'clock' | 'config' | 'keyring' | 'mail' | 'platform'>;

/**
 * Mails a link to choose a password. For an address without an enabled user it does the same work, including an empty
 * mail, but sends nothing, so that the response time does not reveal whether the address has an account.
 */
export async function requestPasswordReset(services: ResetServices, email: string, origin: Origin): Promise<void> {
  await services.platform.transaction(async (tx) => {
    const at = services.clock.now();
    const found = await lockUser(tx, 'email', normalizeEmail(email));
    const user = found?.disabled_at === null ? found : undefined;
    const request = user === undefined ? null : { userId: user.id, purposes: ['reset_password'] as const };
    const links = await issueMailLinks(services, tx, request, at);
    await recordPlatformAudit(tx, unknownUser(origin), {
      event: 'USER.PASSWORD_RESET_REQUESTED',
      resourceType: 'user',
      resourceId: user?.id ?? null,
      at,
    });
    const { publicUrl } = services.config;
    await services.mail.enqueue(
      tx,
      user === undefined ? null : resetPasswordMail({ ...links, to: user.email, publicUrl }),
    );
  });
  services.mail.kick();
}

/** Mails an enabled user a link to choose a password, in the caller's transaction, which has locked the user. */
export async function mailPasswordReset(
  services: ResetServices,
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
 * that the user reads the mailbox, so the address becomes verified too. Throws 422 `AUTH.LINK_INVALID`.
 */
export async function resetPassword(
  services: ResetServices,
  reset: { readonly token: string; readonly password: string },
  origin: Origin,
): Promise<void> {
  const userId = await ownerOfMailLink(services, 'reset_password', reset.token);
  // Hashed before the transaction, because a transaction must not wait for anything but the database.
  const passwordHash = await hashPassword(reset.password);
  await services.platform.transaction((tx) =>
    applyReset(services, tx, { userId, token: reset.token, passwordHash }, origin),
  );
  services.mail.kick();
}

async function applyReset(
  services: ResetServices,
  tx: PlatformTransaction,
  { userId, token, passwordHash }: { readonly userId: string; readonly token: string; readonly passwordHash: string },
  origin: Origin,
): Promise<void> {
  const at = services.clock.now();
  // Deadlock-free: the user is always locked before the link.
  const user = await lockUser(tx, 'id', userId);
  if (user === undefined || user.disabled_at !== null) throw linkInvalid();
  await useMailLink(services, tx, { userId, purpose: 'reset_password', token }, at);
  await updateUserRow(tx, userId, { password_hash: passwordHash, updated_at: at });
  await endMailLinks(tx, userId);
  await revokeTokensOf(tx, 'tenant', userId);
  const actor: Actor = { type: 'user', id: userId, ...origin };
  const target = { resourceType: 'user', resourceId: userId };
  await recordPlatformAudit(tx, actor, { event: 'USER.PASSWORD_RESET', ...target, at });
  if (user.email_verified_at === null) await noteVerified(tx, actor, userId, at);
  const { publicUrl } = services.config;
  await services.mail.enqueue(tx, passwordChangedMail({ to: user.email, at, publicUrl }));
}

/** Returns the actor of a request whose sender has not proven to own the address. */
function unknownUser(origin: Origin): Actor {
  return { type: 'user', id: null, ...origin };
}
