import type { PlatformTransaction } from '../../../db/database.ts';
import type { UserIdentitiesTable } from '../../../db/tables/platform/identity.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import type { PlatformServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { lockAccount, noPassword } from '../identity/account-service.ts';
import { deleteUserIdentitiesSince, deleteUserIdentity, listUserIdentities } from './queries.ts';

/** An identity as its user sees it. */
type IdentityView = Pick<UserIdentitiesTable, 'id' | 'issuer' | 'email' | 'linked_at' | 'last_used_at'>;

/** Returns the identities with which a user can log in, oldest first. */
export async function listIdentities({ platform }: PlatformServices, userId: string): Promise<IdentityView[]> {
  const rows = await listUserIdentities(platform, userId);
  return rows.map(({ id, issuer, email, linked_at, last_used_at }) => ({ id, issuer, email, linked_at, last_used_at }));
}

/**
 * Unlinks an identity of a user. Throws 404 `RESOURCE.NOT_FOUND`, and 409 `ACCOUNT.NO_PASSWORD` if the user could no
 * longer log in.
 */
export async function unlinkIdentity(
  { clock, platform }: PlatformServices,
  actor: Actor,
  userId: string,
  id: string,
): Promise<void> {
  await platform.transaction(async (tx) => {
    const user = await lockAccount(tx, userId);
    const identity = await deleteUserIdentity(tx, userId, id);
    if (identity === undefined) {
      throw new AppError(
        'RESOURCE.NOT_FOUND',
        'You have no such identity. It may have been unlinked already. List your identities.',
      );
    }
    if (user === undefined || user.password_hash === null) throw noPassword();
    await recordUnlinked(tx, actor, identity, clock.now());
  });
}

/**
 * Unlinks the identities that a user linked at `since` or later, in the caller's transaction: the account was probably
 * stolen, and the thief must not log in again.
 */
export async function unlinkIdentitiesSince(
  tx: PlatformTransaction,
  {
    actor,
    userId,
    since,
    at,
  }: { readonly actor: Actor; readonly userId: string; readonly since: Timestamp; readonly at: Timestamp },
): Promise<void> {
  for (const identity of await deleteUserIdentitiesSince(tx, userId, since)) {
    await recordUnlinked(tx, actor, identity, at);
  }
}

async function recordUnlinked(
  tx: PlatformTransaction,
  actor: Actor,
  { user_id, issuer }: UserIdentitiesTable,
  at: Timestamp,
): Promise<void> {
  const changes = [{ field: 'issuer', old: issuer, new: null }];
  const about = { resourceType: 'user', resourceId: user_id, changes, at };
  await recordPlatformAudit(tx, actor, { event: 'USER.IDENTITY_UNLINKED', ...about });
}
