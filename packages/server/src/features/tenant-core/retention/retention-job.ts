import type { TenantDb } from '../../../db/database.ts';
import type { Job, JobRun } from '../../../jobs/job.ts';
import type { Clock, Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import type { RetentionRule, RetentionSettings } from './retention.ts';

const batchesPerRun = 200;

interface RetentionDependencies {
  readonly clock: Clock;
  readonly rules: readonly RetentionRule[];
  readonly readSettings: (db: TenantDb) => Promise<RetentionSettings>;
}

/**
 * Creates the daily job that applies every rule to a tenant's database, in the order of the list. It deletes in
 * batches.
 */
export function retentionJob(dependencies: RetentionDependencies): Job {
  return { kind: 'retention', daily: true, run: (run) => applyRules(dependencies, run) };
}

async function applyRules(
  { clock, rules, readSettings }: RetentionDependencies,
  { db, signal }: JobRun,
): Promise<Timestamp | null> {
  const context = { now: clock.now(), settings: await readSettings(db) };
  const passes = rules.map((rule) => rule.startTrim(context));
  let trimBatch = passes.shift();
  for (let batch = 0; trimBatch !== undefined; batch += 1) {
    // The next run continues after the jobs that are due for other tenants.
    if (signal.aborted || batch >= batchesPerRun) return addSeconds(clock.now(), 1);
    if (!(await trimBatch(db))) trimBatch = passes.shift();
  }
  return null;
}
