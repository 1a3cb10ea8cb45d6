import type { PlatformJob } from '../../../jobs/job.ts';
import type { PlatformServices } from '../../../services.ts';
import { deleteExpiredAttempts, deleteExpiredCodes } from './queries.ts';

const batchSize = 500;

/** Returns the daily job that deletes expired logins that were never finished. */
export function signOnRetentionJob({ clock, platform }: PlatformServices): PlatformJob {
  return {
    kind: 'sign-on-retention',
    daily: true,
    async runForPlatform({ signal }) {
      for (const removeSome of [deleteExpiredAttempts, deleteExpiredCodes]) {
        while ((await removeSome(platform, clock.now(), batchSize)) === batchSize) {
          if (signal.aborted) return clock.now();
        }
      }
      return null;
    },
  };
}
