import type { Job, WaitingJob } from '../../../jobs/job.ts';
import type { Services } from '../../../services.ts';
import { deliveryJobKind, deliveryRepairJobKind } from '../../tenant-core/events/event.ts';
import type { DispatchServices, DispatchTenant } from './dispatch.ts';
import { findNextDelivery } from './dispatch-queries.ts';
import { deliverDueOf } from './dispatch-service.ts';

/**
 * Runs wait for endpoints most of the time and hold no database meanwhile, so that there may be many. One whose
 * endpoints hang ends after a second, and leaves them behind.
 */
const slots = 256;
/** What one run may have in hand, and what all of this process aim at together: each costs a socket and its body. */
const perRun = { most: 800, least: 16 } as const;
const inHandTarget = 4000;

/** Sends the deliveries of a tenant that are due, each tenant's in a run of its own. Due when the next one is. */
export function deliveryJob(services: DispatchServices & Pick<Services, 'tenants'>): WaitingJob {
  const { tenants } = services;
  let active = 0;
  return {
    kind: deliveryJobKind,
    daily: true,
    slots,
    outlastsCrashes: true,
    async runUnopened({ tenantId, signal }) {
      active += 1;
      const limit = Math.max(perRun.least, Math.min(perRun.most, Math.floor(inHandTarget / active)));
      try {
        const tenant: DispatchTenant = { id: tenantId, withDb: (work) => tenants.withTenantDb(tenantId, work) };
        return await deliverDueOf(services, tenant, { signal, limit, detachesOverdue: true });
      } finally {
        active -= 1;
      }
    },
  };
}

/**
 * Finds deliveries that wait although nobody was told, because the process died right after the commit. Whoever writes
 * deliveries makes it due before the commit, a minute later.
 */
export function deliveryRepairJob({ wakeUps }: Pick<Services, 'wakeUps'>): Job {
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
