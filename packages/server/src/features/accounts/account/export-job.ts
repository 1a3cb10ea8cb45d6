import type { PlatformJob } from '../../../jobs/job.ts';
import type { Services } from '../../../services.ts';
import { runExport } from './export-service.ts';
import { exportJobKind } from './job-kinds.ts';

/** Makes the files of exports, and removes those that have expired. */
export function accountExportJob(services: Services): PlatformJob {
  return {
    kind: exportJobKind,
    daily: false,
    slots: 2,
    runForPlatform: ({ subjectId, signal }) => runExport(services, subjectId, signal),
  };
}
