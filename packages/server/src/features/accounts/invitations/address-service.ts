import type { PlatformTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import { lockMembers } from '../memberships/service.ts';
import { findOpenInvitationTo, type InvitingTenant, listInvitingTenants } from './queries.ts';
import { inviteToTenant, withdrawInvitations } from './service.ts';

/** Tenants whose open invitations to one address are locked. */
export type InvitingTenants = readonly InvitingTenant[];

/**
 * Locks the members of the tenants with open invitations to an address, in the caller's transaction, and returns the
 * tenants. Call it before the user is locked, in the order of all other code.
 */
export async function lockInvitingTenants(
  { clock }: Pick<Services, 'clock'>,
  tx: PlatformTransaction,
  email: string,
): Promise<InvitingTenants> {
  const tenants = await listInvitingTenants(tx, email, clock.now());
  for (const { id } of tenants) await lockMembers(tx, id);
  return tenants;
}

/**
 * Sends the open invitations of locked tenants again to another address, whose account they are for, in the caller's
 * transaction. The links that were mailed before stop working, because they would give the account to the reader of the
 * former mailbox. An address that has its own invitation keeps it. The caller must call `completeTenantAudit` for each
 * tenant after the commit.
 */
export async function moveInvitations(
  services: Pick<Services, 'config' | 'keyring' | 'mail'>,
  tx: PlatformTransaction,
  tenants: InvitingTenants,
  move: { readonly from: string; readonly to: string; readonly actor: Actor; readonly at: Timestamp },
): Promise<void> {
  const { from, to, actor, at } = move;
  for (const tenant of tenants) {
    const open = await findOpenInvitationTo(tx, tenant.id, from, at);
    if (open === undefined) continue;
    await withdrawInvitations(tx, tenant.id, from);
    const own = await findOpenInvitationTo(tx, tenant.id, to, at);
    if (own === undefined) await inviteToTenant(services, tx, { tenant, email: to, role: open.role, at });
    // The names of fields only: the addresses are personal data.
    const changes = [{ field: 'email', old: null, new: null }];
    const entry = { event: 'MEMBER.INVITATION_MOVED', resourceType: 'member', resourceId: open.id, changes, at };
    await recordTenantAudit(tx, tenant.id, actor, entry);
  }
}
