import { admitTenant } from '../../../features/accounts/tenants/service.ts';
import { markRows } from '../../../features/operations/demo-data/mark-service.ts';
import type { Services } from '../../../services.ts';
import { systemActor } from '../../../tenancy/system-actor.ts';

/**
 * Creates a tenant with its database and marks it as demo data in the same transaction, so that an interrupted start
 * finds it again. Returns its id.
 */
export async function createMarkedTenant(services: Services, name: string, planCode: string): Promise<string> {
  return await services.provisioning.provision((placement) =>
    services.platform.transaction(async (tx) => {
      const row = await admitTenant(tx, systemActor, { placement, name, planCode, at: services.clock.now() });
      await markRows(tx, null, 'tenants', [row.id]);
      return row.id;
    }),
  );
}
