import type { PlatformDb } from '../db/database.ts';
import { type Clock, toTimestamp } from '../lib/clock.ts';
import { type AnyJob, isPlatformJob, nextDailyRun, platformSubject } from './job.ts';
import { bringForward, insertMissing, listTenantKinds, unparkJobs } from './queries.ts';

/** Sees to it that the platform and every active tenant have their daily work, a few hundred tenants at a time. */
export interface JobSweep {
  /**
   * Looks at the next tenants in turn, wakes what was parked for tenants that are active again, and makes due what a
   * clock put off that was ahead and was set right.
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
/** Clocks of nodes may differ by some seconds. */
const longestWaitMs = 25 * 3_600_000;

/** Makes the sweep. It reads the platform database alone: no tenant's database is opened for it. */
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
