import type { AuthenticatedUser } from '../../../http/routes/user-route.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import { hashPassword } from '../../../lib/password.ts';
import { passwordChangedMail } from '../../../mail/templates/account.ts';
import type { Lockout } from '../../../rate-limit/lockout.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { changedFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { pendingEmailChange } from '../identity/email-change-service.ts';
import { changeName, changePassword, hasPassword, lockAccount, provePassword } from '../identity/profile-service.ts';
import type { SubjectName } from '../identity/subject.ts';
import { findDeletion } from './queries.ts';
import type { AccountView, UpdateAccount } from './schemas.ts';

type AccountServices = Pick<Services, 'clock' | 'config' | 'mail' | 'platform'>;

/** Returns the account with the fields that only the account routes show. */
export async function presentAccount(
  services: Pick<Services, 'clock' | 'platform'>,
  user: AuthenticatedUser,
): Promise<AccountView> {
  const { id, email, name, email_verified_at, created_at } = user;
  const deletion = await findDeletion(services.platform, id);
  const has_password = await hasPassword(services.platform, id);
  const email_change = await pendingEmailChange(services, id);
  const deletion_scheduled_for = deletion?.scheduled_for ?? null;
  const profile = { id, email, name, email_verified_at, created_at, has_password };
  return { ...profile, deletion_scheduled_for, email_change };
}

interface Change {
  readonly user: AuthenticatedUser;
  readonly actor: Actor;
  readonly input: UpdateAccount;
  /** Returns the id of the request's token, which stays valid. Called only when the password changes. */
  readonly tokenId: () => Promise<string>;
}

/**
 * Changes the fields that are present. A new password revokes every other token and sends a mail about the change.
 * Throws 422 for a wrong `current_password`, 429 `AUTH.LOCKED_OUT` after five of them, and 409 `ACCOUNT.CHANGED` if
 * another request changed the password or disabled the account meanwhile.
 */
export async function updateAccount(
  services: AccountServices,
  lockout: Lockout,
  { user, actor, input, tokenId }: Change,
): Promise<AuthenticatedUser> {
  const subject = { ability: 'tenant', id: user.id } as const;
  const password = await provenPassword(services, lockout, subject, input, actor.ip ?? '');
  const keptTokenId = password === undefined ? '' : await tokenId();
  const changed = await services.platform.transaction(async (tx) => {
    const before = await lockAccount(tx, user.id);
    const isCurrent = password === undefined || before?.password_hash === password.before;
    if (before === undefined || !isCurrent || before.disabled_at !== null) throw changedMeanwhile();
    const at = services.clock.now();
    const about = { resourceType: 'user', resourceId: user.id, at };
    const { name = before.name } = input;
    const changes = changedFields({ name: before.name }, { name }, ['name']);
    if (changes.length > 0) {
      await changeName(tx, user.id, name, at);
      await recordPlatformAudit(tx, actor, { event: 'ACCOUNT.UPDATED', ...about, changes });
    }
    if (password !== undefined) {
      await changePassword(tx, user.id, { passwordHash: password.after, keptTokenId, at });
      await recordPlatformAudit(tx, actor, { event: 'ACCOUNT.PASSWORD_CHANGED', ...about });
      const { publicUrl } = services.config;
      await services.mail.enqueue(tx, passwordChangedMail({ to: user.email, publicUrl, path: '/account' }));
    }
    return { ...user, name };
  });
  services.mail.kick();
  return changed;
}

/**
 * Checks the current password and hashes the new one. Returns undefined if the input has neither. Runs before the
 * transaction, because a transaction must not wait for anything but the database.
 */
export async function provenPassword(
  services: Pick<Services, 'platform'>,
  lockout: Lockout,
  subject: SubjectName,
  { current_password, password }: UpdateAccount,
  ip: string,
): Promise<{ readonly before: string; readonly after: string } | undefined> {
  if (password === undefined && current_password === undefined) return undefined;
  if (password === undefined) throw validationError({ field: 'password', message: 'must be the new password' });
  const field = 'current_password';
  if (current_password === undefined) throw validationError({ field, message: 'must be given to change the password' });
  const before = await provePassword(services, lockout, { subject, password: current_password, field, ip });
  return { before, after: await hashPassword(password) };
}

/** Returns the error for a change that another request has overtaken. */
export function changedMeanwhile(): AppError {
  return new AppError('ACCOUNT.CHANGED', 'Another request changed the account meanwhile. Send the request again.');
}
