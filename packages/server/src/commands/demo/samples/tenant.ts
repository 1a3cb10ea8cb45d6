import type { TenantRole } from '../../../db/tables/platform/identity.ts';
import { findOrCreateUser } from '../../../features/accounts/identity/account-service.ts';
import { addMember } from '../../../features/accounts/memberships/service.ts';
import { admitTenant } from '../../../features/accounts/tenants/service.ts';
import { recordDemoRows } from '../../../features/operations/demo-data/queries.ts';
import { completeTenantAudit } from '../../../features/tenant-core/audit-outbox/service.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import { type Actor, systemActor } from '../../../tenancy/tenant.ts';

/**
 * Creates a tenant with its database and records it as demo data in the same transaction, so that an interrupted start
 * finds it again. Returns its id.
 */
export async function createDemoTenant(services: Services, name: string, planCode: string): Promise<string> {
  return await services.provisioning.provision((placement) =>
    services.platform.transaction(async (tx) => {
      const row = await admitTenant(tx, systemActor, { placement, name, planCode, at: services.clock.now() });
      await recordDemoRows(tx, 'tenants', [row.id]);
      return row.id;
    }),
  );
}

/** A member to invent. */
export interface DemoMember {
  readonly name: string;
  readonly email: string;
  readonly role: TenantRole;
}

/** Creates users without a password, who therefore cannot log in, as members of a tenant. Returns their ids. */
export async function createDemoMembers(
  services: Services,
  actor: Actor,
  tenantId: string,
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
    await recordDemoRows(tx, 'users', created);
    return created;
  });
  await completeTenantAudit(services, tenantId);
  return ids;
}

/** The code of the plan that can be bought in the demo. */
export const demoPlanCode = 'team';
