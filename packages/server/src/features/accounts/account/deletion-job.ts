import type { PlatformJob } from '../../../jobs/job.ts';
import type { Services } from '../../../services.ts';
import { runDeletion } from './erasure-service.ts';
import { deletionJobKind } from './job-kinds.ts';

/** Returns the job that erases users whose scheduled deletion is due. */
export function accountDeletionJob(services: Services): PlatformJob {
  return {
    kind: deletionJobKind,
    daily: false,
    outlastsCrashes: true,
    runForPlatform: ({ subjectId, signal }) => runDeletion(services, subjectId, signal),
  };
}
