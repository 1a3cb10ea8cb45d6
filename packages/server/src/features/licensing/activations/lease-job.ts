import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Job, JobRun } from '../../../jobs/job.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { type EventServices, transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { releaseQuota } from '../../tenant-core/plan-limits/service.ts';
import { lockLicensesById } from '../licenses/service.ts';
import { leaseJobKind } from './activation.ts';
import { findEndedLeases, findFirstLeaseEnd } from './queries.ts';
import { expireActivation } from './release-service.ts';

const batchSize = 200;
const batchesPerRun = 50;
/** Leases of a busy tenant end all the time; their seats are free without the job, so it can take several at once. */
const shortestWaitSeconds = 5;

/**
 * Closes activations whose lease ran out, so that the audit log tells of it. Their seats are free from the end of the
 * lease on, with or without it. Due when the next lease ends.
 */
export function leaseJob(services: EventServices): Job {
  return { kind: leaseJobKind, daily: true, run: (run) => closeEndedLeases(services, run) };
}

async function closeEndedLeases(services: EventServices, run: JobRun): Promise<Timestamp | null> {
  const { clock } = services;
  const { db, signal } = run;
  for (let batch = 0; batch < batchesPerRun && !signal.aborted; batch += 1) {
    if ((await closeBatch(services, run)) < batchSize) {
      const next = await findFirstLeaseEnd(db);
      const earliest = addSeconds(clock.now(), shortestWaitSeconds);
      return next === null || next > earliest ? next : earliest;
    }
    await nextTurn();
  }
  return addSeconds(clock.now(), 1);
}

/** Answers how many activations were looked at. */
async function closeBatch(services: EventServices, { tenantId, db }: JobRun): Promise<number> {
  const { clock } = services;
  return await transactWithEvents(services, { id: tenantId, db }, async (tx, outbox) => {
    const candidates = await findEndedLeases(tx, clock.now(), batchSize);
    if (candidates.length === 0) return 0;
    // Licenses first, as heartbeats and activations do; what they changed while this waited is read again.
    await lockLicensesById(tx, [...new Set(candidates.map((row) => row.license_id))]);
    const at = clock.now();
    const ids = candidates.map((row) => row.id);
    const ended = await findEndedLeases(tx, at, batchSize, ids);
    for (const row of ended) await expireActivation(tx, outbox, row, at);
    await releaseQuota(tx, 'activations', ended.length);
    return candidates.length;
  });
}
