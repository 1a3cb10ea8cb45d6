import type { Job, JobRun } from '../../../jobs/job.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import type { Services } from '../../../services.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { findFirstEnd, lockEnded, markEndReported } from './expired-queries.ts';
import { expiredJobKind } from './license.ts';
import { presentAll } from './service.ts';

const batchSize = 200;
const batchesPerRun = 50;
/** Waits at least 1 s, so that licenses that end within one second are reported in one batch. */
const shortestWaitSeconds = 1;

/**
 * Publishes `license.expired` when a license ends, once per end date: the mark on the license is written in the same
 * transaction as the event. The end of a suspended license is published when the license is reinstated. Due when the
 * next license ends.
 */
export function expiredJob(services: Services): Job {
  return { kind: expiredJobKind, daily: true, run: (run) => publishEnds(services, run) };
}

async function publishEnds(services: Services, run: JobRun): Promise<Timestamp | null> {
  const { clock } = services;
  for (let batch = 0; batch < batchesPerRun && !run.signal.aborted; batch += 1) {
    if ((await publishBatch(services, run)) < batchSize) {
      const next = await findFirstEnd(run.db);
      const earliest = addSeconds(clock.now(), shortestWaitSeconds);
      return next === null || next > earliest ? next : earliest;
    }
  }
  return addSeconds(clock.now(), 1);
}

/** Returns the number of licenses whose end was published. */
async function publishBatch(services: Services, { tenantId, db }: JobRun): Promise<number> {
  return await transactWithEvents(services, { id: tenantId, db }, async (tx, outbox) => {
    const ids = await lockEnded(tx, services.clock.now(), batchSize);
    if (ids.length === 0) return 0;
    const at = services.clock.now();
    await markEndReported(tx, ids);
    const data = () => presentAll(services, tx, ids, at);
    await outbox.recordAll({ type: 'license.expired', data, requestId: null, at });
    return ids.length;
  });
}
