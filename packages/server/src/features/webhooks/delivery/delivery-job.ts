import type { Job, WaitingJob } from '../../../jobs/job.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Services, TenantWorkServices } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { deliveryJobKind, deliveryRepairJobKind } from '../../tenant-core/events/event.ts';
import type { DispatchOptions, DispatchTenant } from './dispatch.ts';
import { findNextDelivery } from './dispatch-queries.ts';
import { DeliveryRun } from './run.ts';

/**
 * Maximum concurrent runs. Runs mostly wait for endpoints and hold no database open meanwhile, so there can be many. A
 * run whose endpoints hang detaches their requests after a second and ends.
 */
const slots = 256;
/** Slots of one run. Each slot costs a socket and a message. */
const slotsPerRun = { max: 800, min: 16 } as const;
/** Slots that all runs of this process should hold together. With many runs each one gets fewer. */
const slotsTarget = 4000;

/** Creates the job that sends the due deliveries of a tenant. It is due when the tenant's next delivery is. */
export function deliveryJob(services: Services & TenantWorkServices): WaitingJob {
  const { tenants } = services;
  let active = 0;
  return {
    kind: deliveryJobKind,
    daily: true,
    slots,
    outlastsCrashes: true,
    async runUnopened({ tenantId, signal, reportProgress }) {
      active += 1;
      const limit = Math.max(slotsPerRun.min, Math.min(slotsPerRun.max, Math.floor(slotsTarget / active)));
      try {
        const tenant: DispatchTenant = { id: tenantId, withDb: (work) => tenants.withTenantDb(tenantId, work) };
        return await deliverDueOf(services, tenant, {
          signal,
          limit,
          detachesOverdue: true,
          onProgress: reportProgress,
        });
      } finally {
        active -= 1;
      }
    },
  };
}

/**
 * Creates the job that finds pending deliveries without a wake-up, which exist if a process dies right after a commit.
 * Every transaction that writes deliveries schedules this job before its commit, to run a minute later.
 */
export function deliveryRepairJob({ wakeUps }: TenantWorkServices): Job {
  return {
    kind: deliveryRepairJobKind,
    daily: false,
    outlastsCrashes: true,
    async run({ tenantId, db }) {
      const dueAt = await findNextDelivery(db);
      if (dueAt !== null) wakeUps.scheduleAfterCommit(tenantId, deliveryJobKind, dueAt);
      return null;
    },
  };
}

/**
 * Sends the due deliveries of one tenant, and continues while more become due. Two concurrent runs of the same tenant
 * share the work: each delivery is leased for 30 s, and no other run sends it until then. Returns when the next
 * delivery is due (now, if the run ended early), or null if no delivery is pending.
 */
export function deliverDue(
  services: Services,
  tenant: Pick<Tenant, 'id' | 'db'>,
  options: DispatchOptions = {},
): Promise<Timestamp | null> {
  const { id, db } = tenant;
  return deliverDueOf(services, { id, withDb: (work) => work(db) }, options);
}

/** Like `deliverDue`, but does not hold the tenant's database open during the run. */
function deliverDueOf(
  services: Services,
  tenant: DispatchTenant,
  options: DispatchOptions = {},
): Promise<Timestamp | null> {
  return new DeliveryRun(services, tenant, options).run();
}
