import type { PlatformTransaction } from '../../../db/database.ts';
import type { UsersTable } from '../../../db/tables/platform/identity.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { normalizeEmail } from '../../../lib/email.ts';
import { newId } from '../../../lib/ids.ts';
import { hashPassword } from '../../../lib/password.ts';
import { alreadyRegisteredMail } from '../../../mail/templates/already-registered.ts';
import { unfinishedRegistrationMail } from '../../../mail/templates/unfinished-registration.ts';
import { verifyEmailMail } from '../../../mail/templates/verify-email.ts';
import type { Mail } from '../../../mail/transport.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { type IssuedLinks, issueMailLinks, type LinkRequest } from './mail-link-service.ts';
import type { Origin } from './service.ts';
import { insertUserIfNew, lockUser } from './user-queries.ts';

type RegistrationServices = Pick<Services, 'clock' | 'config' | 'keyring' | 'mail' | 'platform'>;

interface Registration {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/**
 * Makes a user whose address is still to be verified, and mails the link. For an address that has an account nothing of
 * the account is changed and a mail says so: with a way to choose a password, because that proves the mailbox, while
 * knowing the address proves nothing. The work is the same in each case, so that the time does not tell them apart.
 */
export async function register(
  services: RegistrationServices,
  registration: Registration,
  origin: Origin,
): Promise<void> {
  const passwordHash = await hashPassword(registration.password);
  const email = normalizeEmail(registration.email);
  await services.platform.transaction(async (tx) => {
    const at = services.clock.now();
    const id = newId();
    const row = { id, email, name: registration.name, password_hash: passwordHash, email_verified_at: null };
    await insertUserIfNew(tx, { ...row, disabled_at: null, created_at: at, updated_at: at });
    const user = await lockUser(tx, 'email', email);
    if (user === undefined) throw new Error('A user who was just written is not there.');
    const reply = replyTo(user, user.id === id);
    const links = await issueMailLinks(services, tx, reply.links, at);
    await recordRegistration(tx, user.id, user.id === id, origin, at);
    await services.mail.enqueue(tx, reply.mail?.(mailContext(services, user, links)) ?? null);
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

/** What the person behind the address is told. Disabled users are told nothing. */
function replyTo(user: UsersTable, isNew: boolean): Reply {
  const { id: userId } = user;
  if (user.disabled_at !== null) return { links: null, mail: null };
  if (isNew) return { links: { userId, purposes: ['verify_email'] }, mail: verifyEmailMail };
  if (user.email_verified_at === null) {
    return { links: { userId, purposes: ['verify_email', 'reset_password'] }, mail: unfinishedRegistrationMail };
  }
  return { links: { userId, purposes: ['reset_password'] }, mail: alreadyRegisteredMail };
}

function mailContext({ config }: Pick<Services, 'config'>, user: UsersTable, links: IssuedLinks): MailContext {
  return { ...links, to: user.email, publicUrl: config.publicUrl };
}

/** Who repeats a registration is nobody that is known. */
function recordRegistration(
  tx: PlatformTransaction,
  userId: string,
  isNew: boolean,
  origin: Origin,
  at: Timestamp,
): Promise<void> {
  const actor: Actor = { type: 'user', id: isNew ? userId : null, ...origin };
  const event = isNew ? 'USER.REGISTERED' : 'USER.REGISTRATION_REPEATED';
  return recordPlatformAudit(tx, actor, { event, resourceType: 'user', resourceId: userId, at });
}
