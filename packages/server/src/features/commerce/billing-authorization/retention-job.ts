import { trimOldest } from '../../../db/insert-rows.ts';
import type { PlatformJob } from '../../../jobs/job.ts';
import { addDays } from '../../../lib/duration.ts';
import type { PlatformServices } from '../../../services.ts';

/** Longer than a year, so that a yearly review of the accesses finds all of them. */
const keptForDays = 400;
const batchSize = 1_000;

/** Returns the daily job that deletes decisions of the billing guard 400 days after they were made. */
export function billingAuthorizationRetentionJob({ clock, platform }: PlatformServices): PlatformJob {
  return {
    kind: 'billing-authorization-retention',
    daily: true,
    async runForPlatform({ signal }) {
      const cutoff = addDays(clock.now(), -keptForDays);
      const trim = { table: 'billing_authorization_log', column: 'occurred_at', cutoff, limit: batchSize };
      while (await platform.transaction((tx) => trimOldest(tx, trim))) {
        if (signal.aborted) return clock.now();
      }
      return null;
    },
  };
}
