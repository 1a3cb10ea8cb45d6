import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { MembershipsTable, TenantRole, UsersTable } from '../../../db/tables/platform/identity.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import { isUuid } from '../../../lib/ids.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { createdFields } from '../../tenant-core/audit/created-fields.ts';
import { recordTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import type { LimitNotice } from '../../tenant-core/plan-limits/platform-service.ts';
import {
  createMembership,
  deleteMembership,
  findMemberTenants,
  listEffectiveOwners,
  listOwnerAddresses,
  lockTenantOfMembers,
  type MemberTenant,
  updateMembershipRole,
} from './queries.ts';

/**
 * The tenant that a user's request is about: the one named by `X-Tenant-ID`, or the user's only one.
 * A tenant that does not exist is refused like one the user does not belong to.
 */
export async function resolveMemberTenant(
  platform: PlatformDb,
  userId: string,
  tenantIdHeader: string | undefined,
): Promise<MemberTenant> {
  if (tenantIdHeader !== undefined && !isUuid(tenantIdHeader)) {
    throw new AppError('REQUEST.MALFORMED', 'Send one tenant id, a UUID in lower case, in the X-Tenant-ID header.');
  }
  const [tenant, another] = await findMemberTenants(platform, userId, tenantIdHeader);
  if (tenant === undefined) {
    const message = tenantIdHeader === undefined ? 'You belong to no tenant.' : 'You do not belong to this tenant.';
    throw new AppError('TENANT.ACCESS_DENIED', `${message} Ask an owner to add you.`);
  }
  if (another !== undefined) {
    throw new AppError('TENANT.SELECTION_REQUIRED', 'You belong to several tenants: name one in X-Tenant-ID.');
  }
  return tenant;
}

/**
 * Makes those who change who belongs to a tenant, or is invited to it, take turns until their transactions end: each
 * sees what the one before did. Answers the tenant's state, undefined for a tenant that is gone.
 */
export function lockMembers(tx: PlatformTransaction, tenantId: string): Promise<TenantsTable['status'] | undefined> {
  return lockTenantOfMembers(tx, tenantId);
}

/** The addresses of the owners of a tenant who can log in. */
export function listOwnerEmails(platform: PlatformDb, tenantId: string): Promise<string[]> {
  return listOwnerAddresses(platform, tenantId);
}

interface NewMember {
  readonly id: string;
  readonly tenantId: string;
  readonly user: Pick<UsersTable, 'id' | 'email'>;
  readonly role: TenantRole;
  readonly at: Timestamp;
  /** What the plan's limit has to tell the tenant with it. */
  readonly notice?: LimitNotice;
}

/** Makes a user a member of a tenant, in the caller's transaction. One who is a member already keeps the role. */
export async function addMember(tx: PlatformTransaction, actor: Actor, member: NewMember): Promise<void> {
  const { id, tenantId, user, role, at, notice } = member;
  const row = { id, tenant_id: tenantId, user_id: user.id, role, created_at: at };
  if (!(await createMembership(tx, row))) return;
  const changes = createdFields({ email: user.email, role }, ['email', 'role']);
  const entry = { event: 'MEMBER.ADDED', resourceType: 'member', resourceId: id, changes, at };
  await recordTenantAudit(tx, tenantId, actor, entry, undefined, notice);
}

/** Returns the memberships of the owners of a tenant who can log in. */
export function listOwners(
  tx: PlatformTransaction,
  tenantId: string,
): Promise<Pick<MembershipsTable, 'id' | 'user_id'>[]> {
  return listEffectiveOwners(tx, tenantId);
}

/** Changes the role of a membership, in the caller's transaction. The caller records the change in the audit log. */
export function changeRole(tx: PlatformTransaction, id: string, role: TenantRole): Promise<void> {
  return updateMembershipRole(tx, id, role);
}

/** Ends a membership, in the caller's transaction. The caller records the removal in the audit log. */
export function endMembership(tx: PlatformTransaction, id: string): Promise<void> {
  return deleteMembership(tx, id);
}

/**
 * Inserts a membership of an imported archive, in the caller's transaction, without an audit record. If the user
 * already belongs to the tenant, the existing membership and its role stay.
 */
export async function restoreMembership(tx: PlatformTransaction, row: MembershipsTable): Promise<void> {
  await createMembership(tx, row);
}
