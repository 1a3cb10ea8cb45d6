import type { PlatformJob } from '../../../jobs/job.ts';
import type { Services } from '../../../services.ts';
import { runDeletion } from './erasure-service.ts';
import { deletionJobKind } from './job-kinds.ts';

/** Erases users whose time has come. */
export function accountDeletionJob(services: Services): PlatformJob {
  return {
    kind: deletionJobKind,
    daily: false,
    outlastsCrashes: true,
    runForPlatform: ({ subjectId, signal }) => runDeletion(services, subjectId, signal),
  };
}
