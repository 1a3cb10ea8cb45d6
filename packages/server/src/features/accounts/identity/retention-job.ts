import type { PlatformJob } from '../../../jobs/job.ts';
import type { PlatformServices } from '../../../services.ts';
import { deleteExpiredMailLinks, deleteUnconfirmedEmailChanges } from './mail-link-queries.ts';
import { deleteExpiredSessions } from './session-queries.ts';

const batchSize = 500;

/** Returns the daily job that deletes expired sessions, mailed links and unconfirmed changes of addresses. */
export function identityRetentionJob({ clock, platform }: PlatformServices): PlatformJob {
  return {
    kind: 'identity-retention',
    daily: true,
    async runForPlatform({ signal }) {
      for (const removeSome of [deleteExpiredSessions, deleteExpiredMailLinks, deleteUnconfirmedEmailChanges]) {
        while ((await removeSome(platform, clock.now(), batchSize)) === batchSize) {
          if (signal.aborted) return clock.now();
        }
      }
      return null;
    },
  };
}
