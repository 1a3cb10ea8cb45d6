import type { Timestamp } from '../../../lib/clock.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import type { DispatchOptions, DispatchServices, DispatchTenant } from './dispatch.ts';
import { DeliveryRun } from './run.ts';

/**
 * Sends the due deliveries of one tenant, and continues while more become due. Two concurrent runs of the same tenant
 * share the work: each delivery is leased for 30 s, and no other run sends it until then. Returns when the next
 * delivery is due (now, if the run ended early), or null if no delivery is pending.
 */
export function deliverDue(
  services: DispatchServices,
  tenant: Pick<Tenant, 'id' | 'db'>,
  options: DispatchOptions = {},
): Promise<Timestamp | null> {
  const { id, db } = tenant;
  return deliverDueOf(services, { id, withDb: (work) => work(db) }, options);
}

/** Like `deliverDue`, for a tenant whose database is not held open during the run. */
export function deliverDueOf(
  services: DispatchServices,
  tenant: DispatchTenant,
  options: DispatchOptions = {},
): Promise<Timestamp | null> {
  return new DeliveryRun(services, tenant, options).run();
}
