import type { AuthenticatedUser } from '../../../http/routes/user-route.ts';
import { validationError } from '../../../lib/error.ts';
import { hashPassword } from '../../../lib/password.ts';
import { passwordChangedMail } from '../../../mail/templates/account.ts';
import type { Lockout } from '../../../rate-limit/lockout.ts';
import type { MailServices, PlatformServices, Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { changedFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { completeTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import { changePassword, hasPassword, lockSubject, provePassword, updateSubject } from '../identity/account-service.ts';
import {
  changedMeanwhile,
  confirmEmailChange,
  type InvitationMover,
  pendingEmailChange,
  revertEmailChange,
} from '../identity/email-change-service.ts';
import { admitsNotice } from '../identity/notices.ts';
import { refuseOwnAddress } from '../identity/own-address.ts';
import type { Origin } from '../identity/service.ts';
import { type Ability, type SubjectName, subjectKinds } from '../identity/subject.ts';
import { type InvitingTenants, lockInvitingTenants, moveInvitations } from '../invitations/service.ts';
import { unlinkIdentitiesSince } from '../single-sign-on/identities-service.ts';
import { findDeletion } from './queries.ts';
import type { AccountView, UpdateAccount } from './schemas.ts';

/** Returns the account with the fields that only the account routes show. */
export async function presentAccount(services: PlatformServices, user: AuthenticatedUser): Promise<AccountView> {
  const { id, email, name, email_verified_at, created_at } = user;
  const deletion = await findDeletion(services.platform, id);
  const has_password = await hasPassword(services.platform, id);
  const email_change = await pendingEmailChange(services, id);
  const deletion_scheduled_for = deletion?.scheduled_for ?? null;
  const profile = { id, email, name, email_verified_at, created_at, has_password };
  return { ...profile, deletion_scheduled_for, email_change };
}

interface AccountHolder {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

interface Change<Holder extends AccountHolder> {
  /** The kind of the account that sent the request. */
  readonly ability: Ability;
  readonly holder: Holder;
  readonly actor: Actor;
  readonly input: UpdateAccount;
  /** Returns the id of the request's session, which stays valid. Called only when the password changes. */
  readonly sessionId: () => Promise<string>;
}

/**
 * Changes the fields that are present, of a user or an admin. A new password ends every other session and sends a mail
 * about the change. Throws 422 for a wrong `current_password`, 429 `AUTH.LOCKED_OUT` after five of them, and 409
 * `ACCOUNT.CHANGED` if another request changed the password or disabled the account meanwhile.
 */
export async function updateAccount<Holder extends AccountHolder>(
  services: MailServices,
  lockout: Lockout,
  { ability, holder, actor, input, sessionId }: Change<Holder>,
): Promise<Holder> {
  const subject = { ability, id: holder.id };
  const { auditType, accountPage } = subjectKinds[ability];
  const { email } = holder;
  const password = await provenPassword(services, lockout, subject, { ...input, email }, actor.ip ?? '');
  const keptSessionId = password === undefined ? '' : await sessionId();
  const changed = await services.platform.transaction(async (tx) => {
    const before = await lockSubject(tx, ability, 'id', holder.id);
    const isCurrent = password === undefined || before?.password_hash === password.before;
    if (before === undefined || !isCurrent || before.disabled_at !== null) throw changedMeanwhile();
    const at = services.clock.now();
    const about = { resourceType: auditType, resourceId: holder.id, at };
    const { name = before.name } = input;
    const changes = changedFields({ name: before.name }, { name }, ['name']);
    if (changes.length > 0) {
      await updateSubject(tx, subject, { name, updated_at: at });
      await recordPlatformAudit(tx, actor, { event: 'ACCOUNT.UPDATED', ...about, changes });
    }
    if (password !== undefined) {
      await changePassword(tx, subject, { passwordHash: password.after, keptSessionId, at });
      await recordPlatformAudit(tx, actor, { event: 'ACCOUNT.PASSWORD_CHANGED', ...about });
      const { publicUrl } = services.config;
      const notice = passwordChangedMail({ to: holder.email, publicUrl, path: accountPage });
      if (await admitsNotice(services, tx, before)) await services.mail.enqueue(tx, notice);
    }
    return { ...holder, name };
  });
  services.mail.kick();
  return changed;
}

/**
 * Checks the current password and hashes the new one. Returns undefined if the input has neither. Runs before the
 * transaction, because a transaction must not wait for anything but the database.
 */
async function provenPassword(
  services: PlatformServices,
  lockout: Lockout,
  subject: SubjectName,
  { email, current_password, password }: UpdateAccount & Pick<AccountHolder, 'email'>,
  ip: string,
): Promise<{ readonly before: string; readonly after: string } | undefined> {
  if (password === undefined && current_password === undefined) return undefined;
  if (password === undefined) throw validationError({ field: 'password', message: 'Enter the new password.' });
  refuseOwnAddress(password, email);
  const field = 'current_password';
  if (current_password === undefined)
    throw validationError({ field, message: 'Enter your current password to change it.' });
  const before = await provePassword(services, lockout, { subject, password: current_password, field, ip });
  return { before, after: await hashPassword(password) };
}

/**
 * Follows a link that confirms or reverts a change of the address, with which open invitations move. Returns the
 * address.
 */
export async function followEmailLink(
  services: Services,
  link: 'confirm' | 'revert',
  followed: { readonly token: string; readonly origin: Origin },
): Promise<string> {
  let moved: InvitingTenants = [];
  const invitations: InvitationMover<InvitingTenants> = {
    lock: (tx, email) => lockInvitingTenants(services, tx, email),
    async move(tx, locked, addresses) {
      await moveInvitations(services, tx, locked, addresses);
      moved = locked;
    },
  };
  const follow = link === 'confirm' ? confirmEmailChange : revertEmailChange;
  const email = await follow(services, { ...followed, invitations, unlinkIdentitiesSince });
  for (const { id } of moved) await completeTenantAudit(services, id);
  return email;
}
