import type { AuthenticatedAdmin } from '../../../http/routes/admin-route.ts';
import { passwordChangedMail } from '../../../mail/templates/account.ts';
import type { Lockout } from '../../../rate-limit/lockout.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { changedFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { lockAdmin, saveAdmin, setAdminPassword } from '../identity/admins-service.ts';
import { revokeOtherTokens } from '../identity/tokens.ts';
import type { UpdateAccount } from './schemas.ts';
import { changedMeanwhile, provenPassword } from './service.ts';

interface Change {
  readonly admin: AuthenticatedAdmin;
  readonly actor: Actor;
  readonly input: UpdateAccount;
  /** The request's token, which stays valid. */
  readonly tokenId: string;
}

/**
 * Changes the name or the password of the admin who sent the request. A new password revokes every other token of the
 * admin and sends a mail. Throws what `updateAccount` throws for a user.
 */
export async function updateAdminAccount(
  services: Pick<Services, 'clock' | 'config' | 'mail' | 'platform'>,
  lockout: Lockout,
  { admin, actor, input, tokenId }: Change,
): Promise<AuthenticatedAdmin> {
  const { id, email: to } = admin;
  const password = await provenPassword(services, lockout, { ability: 'admin', id }, input, actor.ip ?? '');
  const changed = await services.platform.transaction(async (tx) => {
    const before = await lockAdmin(tx, id);
    const isCurrent = password === undefined || before?.password_hash === password.before;
    if (before === undefined || !isCurrent || before.disabled_at !== null) throw changedMeanwhile();
    const at = services.clock.now();
    const about = { resourceType: 'admin', resourceId: id, at };
    const { name = before.name } = input;
    const changes = changedFields({ name: before.name }, { name }, ['name']);
    if (changes.length > 0) {
      await saveAdmin(tx, { ...before, name, updated_at: at });
      await recordPlatformAudit(tx, actor, { event: 'ACCOUNT.UPDATED', ...about, changes });
    }
    if (password !== undefined) {
      await setAdminPassword(tx, id, { name, passwordHash: password.after, at });
      await revokeOtherTokens(tx, 'admin', id, tokenId);
      await recordPlatformAudit(tx, actor, { event: 'ACCOUNT.PASSWORD_CHANGED', ...about });
      const { publicUrl } = services.config;
      await services.mail.enqueue(tx, passwordChangedMail({ to, publicUrl, path: '/admin/account' }));
    }
    return { ...admin, name };
  });
  services.mail.kick();
  return changed;
}
