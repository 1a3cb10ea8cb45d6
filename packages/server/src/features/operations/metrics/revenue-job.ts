import type { PlatformJob } from '../../../jobs/job.ts';
import type { PlatformServices } from '../../../services.ts';
import { recordRevenue } from './service.ts';

/** Returns the daily job that stores the monthly recurring revenue of the day. */
export function revenueJob(services: PlatformServices): PlatformJob {
  return {
    kind: 'revenue',
    daily: true,
    async runForPlatform() {
      await recordRevenue(services);
      return null;
    },
  };
}
