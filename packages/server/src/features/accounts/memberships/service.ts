import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { MembershipsTable, TenantRole, UsersTable } from '../../../db/tables/platform/identity.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import { isUuid } from '../../../lib/ids.ts';
import { type Actor, systemActor } from '../../../tenancy/tenant.ts';
import { createdFields } from '../../tenant-core/audit/audit.ts';
import { recordTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import type { LimitNotice } from '../../tenant-core/plan-limits/service.ts';
import {
  createMembership,
  deleteMembership,
  findMembership,
  findMemberTenants,
  listMembershipsOfUser,
  listOwners,
  lockMembers,
  type MemberTenant,
  updateMembershipRole,
} from './queries.ts';

export {
  createMembership,
  deleteMembership,
  listMembersToCopy,
  listOwnerEmails,
  listOwners,
  lockMembers,
  updateMembershipRole,
} from './queries.ts';

/**
 * Returns the tenant of a user's request: the one in the `X-Tenant-ID` header, or the user's only tenant. Throws 400
 * `REQUEST.MALFORMED` for a header that is not a UUID; 403 `TENANT.ACCESS_DENIED`, the same for a tenant that does not
 * exist and for one that the user does not belong to; and 400 `TENANT.SELECTION_REQUIRED` without the header if the
 * user belongs to several tenants.
 */
export async function resolveMemberTenant(
  platform: PlatformDb,
  userId: string,
  tenantIdHeader: string | undefined,
): Promise<MemberTenant> {
  assertTenantIdForm(tenantIdHeader);
  const [tenant, another] = await candidates(platform, userId, tenantIdHeader);
  if (tenant === undefined) {
    const message = tenantIdHeader === undefined ? 'You belong to no tenant.' : 'You do not belong to this tenant.';
    throw new AppError('TENANT.ACCESS_DENIED', `${message} Ask an owner to add you.`);
  }
  if (another !== undefined) {
    throw new AppError(
      'TENANT.SELECTION_REQUIRED',
      'You belong to several tenants. Send the id of one of them in the X-Tenant-ID header.',
    );
  }
  return tenant;
}

/** Somebody who creates a test copy keeps the one live tenant to which requests without the header go. */
async function candidates(
  platform: PlatformDb,
  userId: string,
  tenantId: string | undefined,
): Promise<readonly MemberTenant[]> {
  if (tenantId !== undefined) return await findMemberTenants(platform, userId, { tenantId });
  const live = await findMemberTenants(platform, userId, { isLive: true });
  return live.length > 0 ? live : await findMemberTenants(platform, userId, {});
}

function assertTenantIdForm(tenantIdHeader: string | undefined): void {
  if (tenantIdHeader === undefined || isUuid(tenantIdHeader)) return;
  throw new AppError('REQUEST.MALFORMED', 'Send one tenant id, a UUID, in the X-Tenant-ID header.');
}

/**
 * Asserts that the `X-Tenant-ID` header of a request with an access token, if it is sent, contains the token's tenant.
 * Throws 400 `REQUEST.MALFORMED` for a value that is not a UUID, and 403 `TENANT.ACCESS_DENIED` for any other tenant.
 */
export function assertTenantOfToken(tenantId: string, tenantIdHeader: string | undefined): void {
  assertTenantIdForm(tenantIdHeader);
  if (tenantIdHeader === undefined || tenantIdHeader === tenantId) return;
  const message =
    'This access token belongs to another tenant. Send the id of its tenant in X-Tenant-ID, or no header.';
  throw new AppError('TENANT.ACCESS_DENIED', message);
}

interface NewMember {
  readonly id: string;
  readonly tenantId: string;
  readonly user: Pick<UsersTable, 'id' | 'email'>;
  readonly role: TenantRole;
  readonly at: Timestamp;
  /** The event of the audit record: `MEMBER.JOINED` for somebody who accepted an invitation. */
  readonly event?: 'MEMBER.ADDED' | 'MEMBER.JOINED';
  /** The notice that 80 % or 100 % of the plan's limit of members is reached; published with the audit record. */
  readonly notice?: LimitNotice;
}

/**
 * Makes a user a member of a tenant and records it in the tenant's audit log, in the caller's transaction. Does nothing
 * if the user is already a member. The caller must call `completeTenantAudit` after the commit.
 */
export async function addMember(tx: PlatformTransaction, actor: Actor, member: NewMember): Promise<void> {
  const { id, tenantId, user, role, at, event = 'MEMBER.ADDED', notice } = member;
  const row = { id, tenant_id: tenantId, user_id: user.id, role, created_at: at };
  if (!(await createMembership(tx, row))) return;
  const changes = createdFields({ email: user.email, role }, ['email', 'role']);
  const entry = { event, resourceType: 'member', resourceId: id, changes, at };
  await recordTenantAudit(tx, tenantId, actor, entry, undefined, notice);
}

/**
 * Makes a user who accepted an invitation a member, in the caller's transaction. A member who accepted to become an
 * owner becomes one; any other membership stays as it is. See `addMember`.
 */
export async function admitMember(tx: PlatformTransaction, actor: Actor, member: NewMember): Promise<void> {
  const { tenantId, user, role, at } = member;
  const current = await findMembership(tx, tenantId, user.id);
  if (current === undefined) return addMember(tx, actor, { ...member, event: 'MEMBER.JOINED' });
  if (role !== 'owner' || current.role === 'owner') return;
  await updateMembershipRole(tx, current.id, role);
  const changes = [{ field: 'role', old: current.role, new: role }];
  const entry = { event: 'MEMBER.UPDATED', resourceType: 'member', resourceId: current.id, changes, at };
  await recordTenantAudit(tx, tenantId, actor, entry);
}

/** Returns the role of a user in a tenant; undefined for a user who is not a member. */
export async function findMemberRole(
  tx: PlatformTransaction,
  tenantId: string,
  userId: string | null,
): Promise<TenantRole | undefined> {
  return userId === null ? undefined : (await findMembership(tx, tenantId, userId))?.role;
}

/** The memberships of a user before the erasure. */
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
    for (const { tenant_id } of missing) locked.set(tenant_id, await lockMembers(tx, tenant_id));
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
    const owners = await listOwners(tx, tenant_id);
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
