import type { Job } from '../../../jobs/job.ts';
import type { Services } from '../../../services.ts';
import { recountUse } from './service.ts';

/** Creates the daily job that compares the quota counters with the rows. Only a bug makes them differ. */
export function recountJob({ logger }: Pick<Services, 'logger'>): Job {
  return {
    kind: 'plan-use-recount',
    daily: true,
    async run({ tenantId, db }) {
      const wrong = await recountUse(db);
      if (wrong.length > 0) {
        logger.warn(
          { tenant_id: tenantId, resources: wrong },
          'quota counters differed from the rows and were corrected',
        );
      }
      return null;
    },
  };
}
