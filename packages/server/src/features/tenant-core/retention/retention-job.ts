import type { TenantDb } from '../../../db/database.ts';
import { deleteAllExpired } from '../../../db/expired-rows.ts';
import type { Job, PlatformJob } from '../../../jobs/job.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { PlatformServices } from '../../../services.ts';
import {
  batchSize,
  type PlatformRetention,
  type RetentionRule,
  type RetentionSettings,
  runPasses,
} from './retention.ts';

const batchesMax = 200;

interface RetentionDependencies {
  readonly clock: Clock;
  readonly rules: readonly RetentionRule[];
  readonly readSettings: (db: TenantDb) => Promise<RetentionSettings>;
}

/** Creates the daily job that applies every rule to a tenant's database, in the order of the list, in batches. */
export function retentionJob({ clock, rules, readSettings }: RetentionDependencies): Job {
  return {
    kind: 'retention',
    daily: true,
    async run({ db, signal }) {
      const context = { now: clock.now(), settings: await readSettings(db) };
      const passes = rules.map((rule) => rule.startTrim(context)).map((trimBatch) => () => trimBatch(db));
      return await runPasses(passes, { clock, signal, batchesMax });
    },
  };
}

/** Creates the daily jobs that delete expired rows of the platform database in batches, one for each kind of rows. */
export function platformRetentionJobs(
  { clock, platform }: PlatformServices,
  rules: Readonly<Record<string, PlatformRetention>>,
): PlatformJob[] {
  return Object.entries(rules).map(([kind, expiredRows]) => ({
    kind,
    daily: true,
    async runForPlatform({ signal }) {
      const expired = expiredRows(clock.now());
      const trimBatch = async () =>
        (await platform.transaction((tx) => deleteAllExpired(tx, expired, batchSize))) >= batchSize;
      return await runPasses([trimBatch], { clock, signal, batchesMax });
    },
  }));
}
