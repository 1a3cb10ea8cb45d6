import type { Job } from '../../../jobs/job.ts';
import type { Services } from '../../../services.ts';
import { findTenantRecord, tenantOf } from '../../../tenancy/tenant-record.ts';
import { findRunning, nextOperationDue } from './queries.ts';
import { continueOperation } from './run-service.ts';
import { bulkJobKind } from './service.ts';

/** The maximum duration of a run, so that one tenant does not delay the others. */
const runMaxMs = 5000;

/** Creates the job that changes the licenses of operations, one operation after the other. */
export function bulkJob(services: Services): Job {
  return {
    kind: bulkJobKind,
    daily: true,
    slots: 1,
    outlastsCrashes: true,
    outlastsFailures: true,
    async run({ tenantId, db, signal }) {
      const record = await findTenantRecord(services.platform, tenantId);
      if (record === undefined) return null;
      const tenant = tenantOf(record, db);
      const endMs = performance.now() + runMaxMs;
      const isOver = () => performance.now() >= endMs;
      while (!signal.aborted && !isOver()) {
        const operation = await findRunning(db.query);
        if (operation === undefined) break;
        await continueOperation({ services, tenant, signal, isOver }, operation);
      }
      return await nextOperationDue(db.query);
    },
  };
}
