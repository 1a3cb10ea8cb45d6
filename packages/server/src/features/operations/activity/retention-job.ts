import type { PlatformJob } from '../../../jobs/job.ts';
import type { Services } from '../../../services.ts';
import { trimActivity } from './retention-service.ts';

/** Removes once a day what is too old of the figures of tenants' activity. */
export function activityRetentionJob(services: Services): PlatformJob {
  return { kind: 'activity-retention', daily: true, runForPlatform: ({ signal }) => trimActivity(services, signal) };
}
