import type { PlatformDb, PlatformTransaction } from '../../db/database.ts';
import type { TenantRole } from '../../db/tables.ts';
import type { Timestamp } from '../../lib/clock.ts';
import { AppError } from '../../lib/error.ts';
import { isUuid, newId } from '../../lib/ids.ts';
import type { Actor } from '../../tenancy/tenant.ts';
import { recordTenantAudit } from '../audit/handoff.ts';
import { normalizeEmail } from '../identity/email.ts';
import { createMembership, findMemberTenants, findUserByEmail, type MemberTenant } from './queries.ts';

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

interface NewMember {
  readonly tenantId: string;
  readonly userId: string;
  readonly role: TenantRole;
  readonly at: Timestamp;
}

/** Makes a user a member of a tenant, in the caller's transaction. One who is a member already keeps the role. */
export async function addMember(tx: PlatformTransaction, actor: Actor, member: NewMember): Promise<void> {
  const { tenantId, userId, role, at } = member;
  const id = newId();
  if (!(await createMembership(tx, { id, tenant_id: tenantId, user_id: userId, role, created_at: at }))) return;
  const changes = [{ field: 'role', old: null, new: role }];
  const entry = { event: 'MEMBER.ADDED', resourceType: 'member', resourceId: id, changes, at };
  await recordTenantAudit(tx, tenantId, actor, entry);
}

/** The id of the enabled user who has an e-mail address. */
export async function findUserIdByEmail(tx: PlatformTransaction, email: string): Promise<string | undefined> {
  return (await findUserByEmail(tx, normalizeEmail(email)))?.id;
}
