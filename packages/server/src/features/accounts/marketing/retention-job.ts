import type { PlatformJob } from '../../../jobs/job.ts';
import type { PlatformServices } from '../../../services.ts';
import { deleteExpiredRequests } from './queries.ts';

const batchSize = 500;

/** Returns the daily job that deletes subscription requests that were not confirmed in time. */
export function marketingRetentionJob({ clock, platform }: PlatformServices): PlatformJob {
  return {
    kind: 'marketing-retention',
    daily: true,
    async runForPlatform({ signal }) {
      while ((await deleteExpiredRequests(platform, clock.now(), batchSize)) === batchSize) {
        if (signal.aborted) return clock.now();
      }
      return null;
    },
  };
}
