import type { Services } from '../../../services.ts';
import { completeTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import { confirmEmailChange, type InvitationMover, revertEmailChange } from '../identity/email-change-links-service.ts';
import type { Origin } from '../identity/service.ts';
import { type InvitingTenants, lockInvitingTenants, moveInvitations } from '../invitations/address-service.ts';
import { unlinkIdentitiesSince } from '../single-sign-on/identities-service.ts';

type FollowingServices = Pick<
  Services,
  'clock' | 'config' | 'keyring' | 'logger' | 'mail' | 'platform' | 'tenants' | 'wakeUps'
>;

/** Follows a link that confirms or reverts a change of the address, with which open invitations move. Returns the address. */
export async function followEmailLink(
  services: FollowingServices,
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
