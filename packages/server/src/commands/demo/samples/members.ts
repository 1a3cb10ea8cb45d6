import type { TenantRole } from '../../../db/tables/platform/identity.ts';
import { findOrCreateUser } from '../../../features/accounts/identity/users-service.ts';
import { addMember } from '../../../features/accounts/memberships/service.ts';
import { markRows } from '../../../features/operations/demo-data/mark-service.ts';
import { completeTenantAudit } from '../../../features/tenant-core/audit-outbox/service.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';

/** A member to invent. */
export interface DemoMember {
  readonly name: string;
  readonly email: string;
  readonly role: TenantRole;
}

/**
 * Creates users without a password, who therefore cannot log in, as members of a tenant. Returns their ids. The users
 * are marked as demo data: of the tenant, or of the platform if the tenant is demo data itself.
 */
export async function createDemoMembers(
  services: Services,
  actor: Actor,
  { tenantId, markedFor }: { readonly tenantId: string; readonly markedFor: string | null },
  members: readonly DemoMember[],
): Promise<string[]> {
  const ids = await services.platform.transaction(async (tx) => {
    const at = services.clock.now();
    const created: string[] = [];
    for (const { name, email, role } of members) {
      const id = await findOrCreateUser(tx, { id: newId(), email, name, at });
      await addMember(tx, actor, { id: newId(), tenantId, user: { id, email }, role, at });
      created.push(id);
    }
    await markRows(tx, markedFor, 'users', created);
    return created;
  });
  await completeTenantAudit(services, tenantId);
  return ids;
}
