import type { Job } from '../../../jobs/job.ts';
import { longWorkJob } from '../../../jobs/long-work.ts';
import type { Services } from '../../../services.ts';
import { continueOperation } from './run-service.ts';
import { bulkJobKind } from './service.ts';

/** Creates the job that changes the licenses of operations, one operation after the other. */
export function bulkJob(services: Services): Job {
  return longWorkJob(services, {
    kind: bulkJobKind,
    table: 'bulk_operations',
    slots: 1,
    begin: (tenant) => (operation) => continueOperation(services, tenant, operation),
  });
}
