import type { PlatformTransaction } from '../../../db/database.ts';
import type { UsersTable } from '../../../db/tables/platform/identity.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { foldEmail } from '../../../lib/email.ts';
import { newId } from '../../../lib/ids.ts';
import { hashPassword } from '../../../lib/password.ts';
import { alreadyRegisteredMail, unfinishedRegistrationMail, verifyEmailMail } from '../../../mail/templates/account.ts';
import { addressReservedMail } from '../../../mail/templates/email-change.ts';
import type { Mail } from '../../../mail/transport.ts';
import type { MailServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { insertUserIfNew, lockSubject } from './account-queries.ts';
import { type IssuedLinks, issueMailLinks, type LinkRequest } from './mail-link-service.ts';
import { refuseOwnAddress } from './own-address.ts';
import type { Origin } from './service.ts';
import { requireSignUp } from './sign-up.ts';

interface Registration {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/**
 * Creates a user with an unverified address and mails the link that verifies it. If the address has an account, the
 * account does not change and its owner gets a mail that says so. That mail contains a link to choose a password: using
 * it proves that the person reads the mailbox, while a registration proves nothing. The work is the same in each case,
 * so that the response time does not reveal whether the address has an account. No account is created with an address
 * that a user left so recently that the change can be reverted. Throws 403 `AUTH.SIGN_UP_CLOSED` for every address if
 * people cannot register.
 */
export async function register(services: MailServices, registration: Registration, origin: Origin): Promise<void> {
  requireSignUp(services.config, 'registration');
  refuseOwnAddress(registration.password, registration.email);
  const passwordHash = await hashPassword(registration.password);
  const email = foldEmail(registration.email);
  await services.platform.transaction(async (tx) => {
    const at = services.clock.now();
    const id = newId();
    const row = { id, email, name: registration.name, password_hash: passwordHash, email_verified_at: null };
    await insertUserIfNew(tx, { ...row, disabled_at: null, created_at: at, updated_at: at });
    // Undefined: the address is reserved for the user who left it, because that change can still be reverted.
    const user = await lockSubject(tx, 'tenant', 'email', email);
    const isAdmitted = await services.mail.admit(tx, { kind: 'registration', to: email });
    const reply = isAdmitted ? replyTo(user, id) : noReply;
    const links = await issueMailLinks(services, tx, reply.links, at);
    await recordRegistration(tx, user?.id ?? null, user?.id === id, origin, at);
    const { publicUrl } = services.config;
    await services.mail.enqueue(tx, reply.mail?.({ ...links, to: email, publicUrl }) ?? null);
  });
  services.mail.kick();
}

interface MailContext extends IssuedLinks {
  readonly to: string;
  readonly publicUrl: string;
}

interface Reply {
  readonly links: LinkRequest | null;
  readonly mail: ((context: MailContext) => Mail) | null;
}

/** For a disabled user, and for an address that has got enough mail. Links that were mailed before stay valid. */
const noReply: Reply = { links: null, mail: null };

/** Returns the mail and the links to send to the address. A disabled user gets no mail. */
function replyTo(user: UsersTable | undefined, newUserId: string): Reply {
  if (user === undefined) return { links: null, mail: addressReservedMail };
  const { id: userId } = user;
  if (user.disabled_at !== null) return noReply;
  if (userId === newUserId) return { links: { userId, purposes: ['verify_email'] }, mail: verifyEmailMail };
  if (user.email_verified_at === null) {
    return { links: { userId, purposes: ['verify_email', 'reset_password'] }, mail: unfinishedRegistrationMail };
  }
  return { links: { userId, purposes: ['reset_password'] }, mail: alreadyRegisteredMail };
}

/** Records a registration. A repeated one has no actor, because its sender is not authenticated. */
function recordRegistration(
  tx: PlatformTransaction,
  userId: string | null,
  isNew: boolean,
  origin: Origin,
  at: Timestamp,
): Promise<void> {
  const actor: Actor = { type: 'user', id: isNew ? userId : null, ...origin };
  const event = isNew ? 'USER.REGISTERED' : 'USER.REGISTRATION_REPEATED';
  return recordPlatformAudit(tx, actor, { event, resourceType: 'user', resourceId: userId, at });
}
