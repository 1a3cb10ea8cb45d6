import type { PlatformJob } from '../../../jobs/job.ts';
import type { Services } from '../../../services.ts';
import { runExport } from './export-service.ts';
import { exportJobKind } from './job-kinds.ts';

/** Returns the job that writes the files of exports and removes expired exports. */
export function accountExportJob(services: Services): PlatformJob {
  return {
    kind: exportJobKind,
    daily: false,
    slots: 2,
    runForPlatform: ({ subjectId, signal }) => runExport(services, subjectId, signal),
  };
}
