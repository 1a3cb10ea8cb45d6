import type { Job } from '../../../jobs/job.ts';
import type { Services } from '../../../services.ts';
import { deleteExpired, listUnpreparedLogins } from './login-queries.ts';
import { loginJobKind, prepareLogin } from './login-service.ts';

const batchSize = 50;

/** Creates the job that prepares the logins that holders requested, and deletes expired logins and sessions. */
export function portalLoginJob(services: Services): Job {
  return {
    kind: loginJobKind,
    daily: true,
    async run({ tenantId, db, signal }) {
      await deleteExpired(db, services.clock.now());
      for (;;) {
        const logins = await listUnpreparedLogins(db, batchSize);
        for (const login of logins) {
          if (signal.aborted) return services.clock.now();
          await prepareLogin(services, { id: tenantId, db }, login);
        }
        if (logins.length < batchSize) return null;
      }
    },
  };
}
