import type { PlatformJob } from '../../../jobs/job.ts';
import type { Services } from '../../../services.ts';
import { deleteExpiredUserKeys } from './user-queries.ts';

const batchSize = 500;

/** Returns the daily job that deletes expired idempotency keys of users. Each key stores its own expiry time. */
export function userKeyRetentionJob({ clock, platform }: Pick<Services, 'clock' | 'platform'>): PlatformJob {
  return {
    kind: 'idempotency-retention',
    daily: true,
    async runForPlatform({ signal }) {
      while ((await deleteExpiredUserKeys(platform, clock.now(), batchSize)) === batchSize) {
        if (signal.aborted) return clock.now();
      }
      return null;
    },
  };
}
