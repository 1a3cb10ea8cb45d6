import type { Job } from '../../../../jobs/job.ts';
import { longWorkJob } from '../../../../jobs/long-work.ts';
import type { Services } from '../../../../services.ts';
import { readCatalog } from '../license-catalog.ts';
import { continueImport, importJobKind } from './progress-service.ts';

/** Creates the job that imports the rows of files, one file after the other. */
export function importJob(services: Services): Job {
  return longWorkJob(services, {
    kind: importJobKind,
    table: 'license_imports',
    slots: 1,
    begin(tenant) {
      let catalog: ReturnType<typeof readCatalog> | undefined;
      return async (row) => {
        catalog ??= readCatalog(tenant.db);
        await continueImport({ services, tenant, catalog: await catalog }, row);
      };
    },
  });
}
