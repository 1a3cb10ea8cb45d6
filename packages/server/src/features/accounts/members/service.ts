import type { PlatformTransaction } from '../../../db/database.ts';
import type { TenantRole } from '../../../db/tables/platform/identity.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { foldEmail } from '../../../lib/email.ts';
import { AppError, orThrow } from '../../../lib/error.ts';
import type { MailServices, Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { findTenantRecord } from '../../../tenancy/tenant-record.ts';
import { auditsOf, changedFields, createdFields } from '../../tenant-core/audit/audit.ts';
import { completeTenantAudit, recordTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import { assertPlatformQuota } from '../../tenant-core/plan-limits/service.ts';
import { inviteToTenant, updateInvitationRole, withdrawInvitations } from '../invitations/service.ts';
import { deleteMembership, listOwners, lockMembers, updateMembershipRole } from '../memberships/service.ts';
import { findInvitedByEmail, findMember, findMemberByEmail } from './queries.ts';
import type { AddMember, ChangeMember, Member } from './schemas.ts';

const auditOf = auditsOf('member');

interface NewMember {
  readonly tenant: Pick<TenantsTable, 'id' | 'name'>;
  readonly email: string;
  readonly role: TenantRole;
  readonly at: Timestamp;
  /**
   * Whether the limits of the plan and of mail apply. False for the first owner, whom an administrator invites: a tenant
   * without an owner is unusable.
   */
  readonly isLimited: boolean;
}

/**
 * Invites the person with an address to a tenant by mail, in the caller's transaction, which must hold `lockMembers` or
 * have created the tenant. Replaces an open invitation of the address. Never reads whether the address has an account,
 * so that neither the response nor its time depends on it. A member can be invited to become an owner. The caller must
 * call `mail.kick` and `completeTenantAudit` after the commit. Throws 409 `MEMBER.ALREADY_ADDED`, 403
 * `PLAN.LIMIT_REACHED`, 429 `MAIL.LIMIT_REACHED`.
 */
export async function inviteMember(
  services: MailServices,
  tx: PlatformTransaction,
  actor: Actor,
  { tenant, email: givenEmail, role, at, isLimited }: NewMember,
): Promise<Member> {
  const email = foldEmail(givenEmail);
  const member = await findMemberByEmail(tx, tenant.id, email, at);
  const isPromotion = role === 'owner' && member !== undefined && member.role !== 'owner';
  if (member !== undefined && !isPromotion) throw alreadyAdded();
  // The plan's limit counts a member and an open invitation already.
  const isCounted = isPromotion || (await findInvitedByEmail(tx, tenant.id, email, at)) !== undefined;
  const { requestId } = actor;
  const addition = { tenantId: tenant.id, resource: 'members', added: isCounted ? 0 : 1, at, requestId } as const;
  const notice = isLimited ? await assertPlatformQuota(tx, addition) : null;
  const id = await inviteToTenant(services, tx, { tenant, email, role, at, isLimited });
  const changes = createdFields({ email, role }, ['email', 'role']);
  await recordTenantAudit(tx, tenant.id, actor, { ...auditOf(id, 'MEMBER.INVITED'), changes, at }, undefined, notice);
  const invited = { user_id: null, name: null, status: 'invited', access_tokens_count: 0 } as const;
  return { ...invited, id, email, role, created_at: at };
}

/**
 * Invites a member on behalf of an owner of the tenant; see `inviteMember`. Also throws 403 `AUTH.ROLE_REQUIRED` if the
 * actor is no longer an owner, and 409 `TEST_TENANT.NOT_LIVE`.
 */
export async function createMember(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  { email, role }: AddMember,
): Promise<Member> {
  await assertLive(services, tenant.id);
  const member = await services.platform.transaction(async (tx) => {
    await lockMembers(tx, tenant.id);
    assertStillOwner(actor, await listOwners(tx, tenant.id));
    return inviteMember(services, tx, actor, { tenant, email, role, at: services.clock.now(), isLimited: true });
  });
  services.mail.kick();
  await completeTenantAudit(services, tenant.id);
  return member;
}

/**
 * Changes the role of a member or of an open invitation. The new role applies from the next request on. The same role
 * changes and records nothing. Nobody becomes an owner by a change of the role: see `inviteMember`. Throws 404
 * `RESOURCE.NOT_FOUND`, 409 `MEMBER.LAST_OWNER`, `MEMBER.CONSENT_REQUIRED` and `TEST_TENANT.NOT_LIVE`, and 403
 * `AUTH.ROLE_REQUIRED`.
 */
export function changeMember(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
  { role }: ChangeMember,
): Promise<Member> {
  return withMember(services, tenant, actor, id, async (tx, { member, isLastOwner, at }) => {
    const changes = changedFields<Pick<Member, 'role'>>(member, { role }, ['role']);
    if (changes.length === 0) return member;
    if (isLastOwner) throw lastOwner();
    if (role === 'owner') throw consentRequired();
    await (member.status === 'active' ? updateMembershipRole : updateInvitationRole)(tx, id, role);
    await recordTenantAudit(tx, tenant.id, actor, { ...auditOf(id, 'MEMBER.UPDATED'), changes, at });
    return { ...member, role };
  });
}

/**
 * Removes a member, who loses access with the next request, or withdraws an invitation, whose link stops working.
 * Throws 404 `RESOURCE.NOT_FOUND`, 409 `MEMBER.LAST_OWNER` and `TEST_TENANT.NOT_LIVE`, 403 `AUTH.ROLE_REQUIRED`.
 */
export async function removeMember(services: Services, tenant: Tenant, actor: Actor, id: string): Promise<void> {
  await withMember(services, tenant, actor, id, async (tx, { member, isLastOwner, at }) => {
    if (isLastOwner) throw lastOwner();
    const isJoined = member.status === 'active';
    if (isJoined) await deleteMembership(tx, id);
    // A member may also have an open invitation to become an owner.
    await withdrawInvitations(tx, tenant.id, member.email);
    const changes = (['email', 'role'] as const).map((field) => ({ field, old: member[field], new: null }));
    const event = isJoined ? 'MEMBER.REMOVED' : 'MEMBER.INVITATION_WITHDRAWN';
    await recordTenantAudit(tx, tenant.id, actor, { ...auditOf(id, event), changes, at });
  });
}

interface LockedMember {
  readonly member: Member;
  /** True if this member is the only owner who can log in. */
  readonly isLastOwner: boolean;
  readonly at: Timestamp;
}

/** Runs `work` on a member under the lock of the tenant's members, then writes the tenant's audit log. */
async function withMember<Result>(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
  work: (tx: PlatformTransaction, locked: LockedMember) => Promise<Result>,
): Promise<Result> {
  await assertLive(services, tenant.id);
  const result = await services.platform.transaction(async (tx) => {
    await lockMembers(tx, tenant.id);
    const at = services.clock.now();
    const owners = await listOwners(tx, tenant.id);
    assertStillOwner(actor, owners);
    const member = orThrow(await findMember(tx, tenant.id, id, at), memberNotFound);
    return work(tx, { member, isLastOwner: owners.length === 1 && owners[0]?.id === id, at });
  });
  await completeTenantAudit(services, tenant.id);
  return result;
}

/** Throws 409 `TEST_TENANT.NOT_LIVE` for a test copy, whose members are those of its live tenant. */
async function assertLive({ platform }: Pick<Services, 'platform'>, tenantId: string): Promise<void> {
  const record = await findTenantRecord(platform, tenantId);
  if (record === undefined || record.live_tenant_id === null) return;
  const message = 'The members of a test tenant are those of its live tenant. Change them there.';
  throw new AppError('TEST_TENANT.NOT_LIVE', message);
}

/** Checks the role again under the lock: if two owners demote each other concurrently, the second one is refused. */
function assertStillOwner(actor: Actor, owners: readonly { readonly user_id: string }[]): void {
  if (owners.some((owner) => owner.user_id === actor.id)) return;
  throw new AppError('AUTH.ROLE_REQUIRED', 'Only owners can change the members of a tenant. Ask an owner to do it.');
}

/** Returns the same error for a member that does not exist and for a member of another tenant. */
function memberNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', 'There is no such member. List the members to find its id.');
}

function alreadyAdded(): AppError {
  const details = [{ field: 'email', message: 'This person is a member already. Enter another address.' }];
  const message = 'This person is already a member. Change the role of that member instead.';
  return new AppError('MEMBER.ALREADY_ADDED', message, { details });
}

function consentRequired(): AppError {
  const message =
    'Nobody becomes an owner without accepting. Invite the address with the role owner: POST the members with it.';
  return new AppError('MEMBER.CONSENT_REQUIRED', message);
}

function lastOwner(): AppError {
  return new AppError('MEMBER.LAST_OWNER', 'This is the last owner of the tenant. Make another member an owner first.');
}
