import type { PlatformJob } from '../../../jobs/job.ts';
import type { Services } from '../../../services.ts';
import { trimActivity } from './retention-service.ts';

/** Returns the daily job that deletes expired activity figures. */
export function activityRetentionJob(services: Services): PlatformJob {
  return { kind: 'activity-retention', daily: true, runForPlatform: ({ signal }) => trimActivity(services, signal) };
}
