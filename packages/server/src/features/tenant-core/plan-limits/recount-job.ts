import type { Job } from '../../../jobs/job.ts';
import type { Services } from '../../../services.ts';
import { recountUse } from './service.ts';

/** Checks once a day that what is counted is what there is. Nothing but a mistake of ours makes the two differ. */
export function recountJob({ logger }: Pick<Services, 'logger'>): Job {
  return {
    kind: 'plan-use-recount',
    daily: true,
    async run({ tenantId, db }) {
      const wrong = await recountUse(db);
      if (wrong.length > 0) {
        logger.warn({ tenant_id: tenantId, resources: wrong }, 'counters of what the plan limits were corrected');
      }
      return null;
    },
  };
}
