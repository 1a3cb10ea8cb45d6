import type { PlatformTransaction } from '../../../db/database.ts';
import type { MembershipsTable } from '../../../db/tables/platform/identity.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { systemActor } from '../../../tenancy/system-actor.ts';
import { recordTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import { deleteMembership, listEffectiveOwners, listMembershipsOfUser, lockTenantOfMembers } from './queries.ts';

/** The memberships of a user whose account is to be erased. */
export interface Leaving {
  readonly memberships: readonly Pick<MembershipsTable, 'id' | 'tenant_id' | 'role'>[];
  /** The active tenants that would be left without an owner who can log in. */
  readonly orphaned: readonly Pick<TenantsTable, 'id' | 'name'>[];
}

/**
 * Returns the memberships of a user and the tenants that have no other owner. Locks the members of these tenants until
 * the transaction ends, so that the result stays true until then.
 */
export async function lockMembershipsOf(tx: PlatformTransaction, userId: string): Promise<Leaving> {
  const locked = new Map<string, TenantsTable['status'] | undefined>();
  for (;;) {
    const memberships = await listMembershipsOfUser(tx, userId);
    // Deadlock-free: several tenants are always locked in the order of their ids. The list is read again after locking,
    // because the user may have joined another tenant before the lock.
    const missing = memberships.filter(({ tenant_id }) => !locked.has(tenant_id));
    if (missing.length === 0) return { memberships, orphaned: await orphanedBy(tx, userId, memberships, locked) };
    for (const { tenant_id } of missing) locked.set(tenant_id, await lockTenantOfMembers(tx, tenant_id));
  }
}

async function orphanedBy(
  tx: PlatformTransaction,
  userId: string,
  memberships: readonly { readonly tenant_id: string; readonly tenant_name: string; readonly role: string }[],
  statuses: ReadonlyMap<string, TenantsTable['status'] | undefined>,
) {
  const orphaned: Pick<TenantsTable, 'id' | 'name'>[] = [];
  for (const { tenant_id, tenant_name, role } of memberships) {
    if (role !== 'owner' || statuses.get(tenant_id) !== 'active') continue;
    const owners = await listEffectiveOwners(tx, tenant_id);
    if (owners.every((owner) => owner.user_id === userId)) orphaned.push({ id: tenant_id, name: tenant_name });
  }
  return orphaned;
}

/** Ends the memberships of a user who is being erased. The audit records contain no personal data. */
export async function endMemberships(
  tx: PlatformTransaction,
  memberships: Leaving['memberships'],
  at: Timestamp,
): Promise<void> {
  for (const { id, tenant_id, role } of memberships) {
    await deleteMembership(tx, id);
    const changes = [{ field: 'role', old: role, new: null }];
    const entry = { event: 'MEMBER.REMOVED', resourceType: 'member', resourceId: id, changes, at };
    await recordTenantAudit(tx, tenant_id, systemActor, entry);
  }
}
