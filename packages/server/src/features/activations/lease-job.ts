import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TenantDb } from '../../db/database.ts';
import type { Job, JobRun } from '../../jobs/job.ts';
import type { Clock, Timestamp } from '../../lib/clock.ts';
import { addSeconds } from '../../lib/duration.ts';
import type { Services } from '../../services.ts';
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
export function leaseJob({ clock }: Pick<Services, 'clock'>): Job {
  return { kind: leaseJobKind, daily: true, run: (run) => closeEndedLeases(clock, run) };
}

async function closeEndedLeases(clock: Clock, { db, signal }: JobRun): Promise<Timestamp | null> {
  for (let batch = 0; batch < batchesPerRun && !signal.aborted; batch += 1) {
    if ((await closeBatch(clock, db)) < batchSize) {
      const next = await findFirstLeaseEnd(db);
      const earliest = addSeconds(clock.now(), shortestWaitSeconds);
      return next === null || next > earliest ? next : earliest;
    }
    await nextTurn();
  }
  return addSeconds(clock.now(), 1);
}

/** Answers how many activations were looked at. */
async function closeBatch(clock: Clock, db: TenantDb): Promise<number> {
  return await db.transaction(async (tx) => {
    const candidates = await findEndedLeases(tx, clock.now(), batchSize);
    if (candidates.length === 0) return 0;
    // Licenses first, as heartbeats and activations do; what they changed while this waited is read again.
    await lockLicensesById(tx, [...new Set(candidates.map((row) => row.license_id))]);
    const at = clock.now();
    const ids = candidates.map((row) => row.id);
    for (const row of await findEndedLeases(tx, at, batchSize, ids)) await expireActivation(tx, row, at);
    return candidates.length;
  });
}
