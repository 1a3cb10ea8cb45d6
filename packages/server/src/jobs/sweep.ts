import type { PlatformDb } from '../db/database.ts';
import { type Clock, toTimestamp } from '../lib/clock.ts';
import { type AnyJob, isPlatformJob, nextDailyRun, platformSubject } from './job.ts';
import { bringForward, insertMissing, listTenantKinds, unparkJobs } from './queries.ts';

/** Ensures that the platform and every active tenant have rows for their daily jobs, a few hundred tenants per call. */
export interface JobSweep {
  /**
   * Inserts missing rows for the next tenants, makes parked rows of active tenants due, and makes rows due that a clock
   * running ahead has postponed. After the last tenant the sweep starts again at the first.
   */
  sweepNext(): Promise<void>;
}

interface JobSweepOptions {
  readonly platform: PlatformDb;
  readonly clock: Clock;
  readonly jobs: readonly AnyJob[];
  readonly tenantsPerSweep?: number;
}

const defaultTenantsPerSweep = 500;
/** A day, and an hour for clocks that differ between nodes. */
const longestWaitMs = 25 * 3_600_000;

/** Creates the sweep. It uses only the platform database and opens no tenant database. */
export function createJobSweep({ platform, clock, jobs, tenantsPerSweep }: JobSweepOptions): JobSweep {
  const daily = jobs.filter((job) => job.daily);
  const dailyKinds = daily.filter((job) => !isPlatformJob(job)).map((job) => job.kind);
  const platformKinds = daily.filter(isPlatformJob).map((job) => job.kind);
  const limit = tenantsPerSweep ?? defaultTenantsPerSweep;
  let lastTenantId = '';

  return {
    async sweepNext() {
      const at = clock.now();
      await unparkJobs(platform, at);
      const after = toTimestamp(clock.nowMs() + longestWaitMs);
      await bringForward(platform, { after, dailyKinds: daily.map((job) => job.kind), at, limit });
      const tenants = await listTenantKinds(platform, lastTenantId, limit);
      const missing = [...tenants].flatMap(([tenantId, kinds]) =>
        dailyKinds
          .filter((kind) => !kinds.has(kind))
          .map((kind) => ({ subjectId: tenantId, kind, dueAt: nextDailyRun(tenantId, at) })),
      );
      const dueAt = nextDailyRun(platformSubject, at);
      const ofPlatform = platformKinds.map((kind) => ({ subjectId: platformSubject, kind, dueAt }));
      await insertMissing(platform, [...missing, ...ofPlatform], at);
      lastTenantId = tenants.size < limit ? '' : ([...tenants.keys()].at(-1) ?? '');
    },
  };
}
