import type { PlatformJob } from '../../../jobs/job.ts';
import type { Services } from '../../../services.ts';
import { deletionJobKind, runDeletion } from './deletion-service.ts';
import { exportJobKind, runExport } from './export-service.ts';

/** Returns the job that erases users whose scheduled deletion is due. */
export function accountDeletionJob(services: Services): PlatformJob {
  return {
    kind: deletionJobKind,
    daily: false,
    outlastsCrashes: true,
    runForPlatform: ({ subjectId, signal }) => runDeletion(services, subjectId, signal),
  };
}

/** Returns the job that writes the files of exports and removes expired exports. */
export function accountExportJob(services: Services): PlatformJob {
  return {
    kind: exportJobKind,
    daily: false,
    slots: 2,
    runForPlatform: ({ subjectId, signal }) => runExport(services, subjectId, signal),
  };
}
