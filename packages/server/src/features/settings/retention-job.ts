import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TenantTransaction } from '../../db/database.ts';
import type { Job, JobRun } from '../../jobs/job.ts';
import type { Clock, Timestamp } from '../../lib/clock.ts';
import { addDays, addSeconds } from '../../lib/duration.ts';
import type { Services } from '../../services.ts';
import { trimAuditLogs } from '../audit/retention-service.ts';
import { trimIdempotencyKeys } from '../idempotency/service.ts';
import { trimUsage } from '../usage/retention-service.ts';
import { readSettings } from './service.ts';
import type { StoredSettings } from './settings.ts';

/** A transaction of so many rows is over before a request notices that it waited. */
const batchSize = 500;
const batchesPerRun = 200;

/** Removes at most so many rows and answers how many it removed. */
type Trim = (tx: TenantTransaction, limit: number) => Promise<number>;

/** Removes what is older than the tenant's settings say, once a day, in batches with requests in between. */
export function retentionJob({ clock }: Pick<Services, 'clock'>): Job {
  return { kind: 'retention', daily: true, run: (run) => trimAll(clock, run) };
}

/** What is exactly as old as the settings say is kept. */
function trimsOf({ retention_days, timezone }: StoredSettings, now: Timestamp): Trim[] {
  return [
    (tx, limit) => trimAuditLogs(tx, addDays(now, -retention_days.audit), limit),
    (tx, limit) => trimUsage(tx, addDays(now, -retention_days.usage), timezone, limit),
    (tx, limit) => trimIdempotencyKeys(tx, now, limit),
  ];
}

async function trimAll(clock: Clock, { db, signal }: JobRun): Promise<Timestamp | null> {
  const trims = trimsOf(await readSettings(db), clock.now());
  let trim = trims.shift();
  for (let batch = 0; trim !== undefined; batch += 1) {
    // The rest goes on with the next run, after what is due for other tenants.
    if (signal.aborted || batch >= batchesPerRun) return addSeconds(clock.now(), 1);
    const current = trim;
    const removed = await db.transaction((tx) => current(tx, batchSize));
    if (removed < batchSize) trim = trims.shift();
    await nextTurn();
  }
  return null;
}
