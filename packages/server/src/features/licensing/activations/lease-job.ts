import type { Job, JobRun } from '../../../jobs/job.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import type { TenantWorkServices } from '../../../services.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { releaseQuota } from '../../tenant-core/plan-limits/service.ts';
import { lockLicensesById } from '../licenses/service.ts';
import { leaseJobKind } from './activation.ts';
import { findEndedLeases, findFirstLeaseEnd } from './queries.ts';
import { expireActivation } from './service.ts';

const batchSize = 200;
const batchesPerRun = 50;
/** Seats are free without the job, so it waits at least 5 s and closes the leases of a busy tenant in batches. */
const shortestWaitSeconds = 5;

/**
 * Closes activations whose lease has expired, for the audit log and the event. Seats are free from the end of the lease
 * even before the job runs. Due when the next lease ends.
 */
export function leaseJob(services: TenantWorkServices): Job {
  return { kind: leaseJobKind, daily: true, run: (run) => closeEndedLeases(services, run) };
}

async function closeEndedLeases(services: TenantWorkServices, run: JobRun): Promise<Timestamp | null> {
  const { clock } = services;
  const { db, signal } = run;
  for (let batch = 0; batch < batchesPerRun && !signal.aborted; batch += 1) {
    if ((await closeBatch(services, run)) < batchSize) {
      const next = await findFirstLeaseEnd(db);
      const earliest = addSeconds(clock.now(), shortestWaitSeconds);
      return next === null || next > earliest ? next : earliest;
    }
  }
  return addSeconds(clock.now(), 1);
}

/** Returns the number of candidates. Fewer than `batchSize` means that no more are due. */
async function closeBatch(services: TenantWorkServices, { tenantId, db }: JobRun): Promise<number> {
  const { clock } = services;
  return await transactWithEvents(services, { id: tenantId, db }, async (tx, outbox) => {
    const candidates = await findEndedLeases(tx, clock.now(), batchSize);
    if (candidates.length === 0) return 0;
    // Lock the licenses first, as heartbeats and activations do. Then read again what they changed in the meantime.
    await lockLicensesById(tx, [...new Set(candidates.map((row) => row.license_id))]);
    const at = clock.now();
    const ids = candidates.map((row) => row.id);
    const ended = await findEndedLeases(tx, at, batchSize, ids);
    for (const row of ended) await expireActivation(tx, outbox, row, at);
    await releaseQuota(tx, 'activations', ended.length);
    return candidates.length;
  });
}
