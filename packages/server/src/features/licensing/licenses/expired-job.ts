import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Job, JobRun } from '../../../jobs/job.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { findFirstEnd, lockEnded, noteTold } from './expired-queries.ts';
import { expiredJobKind } from './license.ts';
import { type LicenseServices, presentAll } from './service.ts';

const batchSize = 200;
const batchesPerRun = 50;
/** Where licenses end all the time it takes those of a second at once. */
const shortestWaitSeconds = 1;

/**
 * Sends `license.expired` at the moment at which a license ends: once for each date, with the mark on the license in
 * the same transaction. A suspended one is told of when it is reinstated. Due when the next license ends.
 */
export function expiredJob(services: LicenseServices): Job {
  return { kind: expiredJobKind, daily: true, run: (run) => tellEnds(services, run) };
}

async function tellEnds(services: LicenseServices, run: JobRun): Promise<Timestamp | null> {
  const { clock } = services;
  for (let batch = 0; batch < batchesPerRun && !run.signal.aborted; batch += 1) {
    if ((await tellBatch(services, run)) < batchSize) {
      const next = await findFirstEnd(run.db);
      const earliest = addSeconds(clock.now(), shortestWaitSeconds);
      return next === null || next > earliest ? next : earliest;
    }
    await nextTurn();
  }
  return addSeconds(clock.now(), 1);
}

/** Answers how many licenses were told of. */
async function tellBatch(services: LicenseServices, { tenantId, db }: JobRun): Promise<number> {
  return await transactWithEvents(services, { id: tenantId, db }, async (tx, outbox) => {
    const ids = await lockEnded(tx, services.clock.now(), batchSize);
    if (ids.length === 0) return 0;
    const at = services.clock.now();
    await noteTold(tx, ids);
    const data = () => presentAll(services, tx, ids, at);
    await outbox.recordAll({ type: 'license.expired', data, requestId: null, at });
    return ids.length;
  });
}
