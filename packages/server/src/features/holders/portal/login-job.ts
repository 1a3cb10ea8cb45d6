import type { Job } from '../../../jobs/job.ts';
import type { Services } from '../../../services.ts';
import { expiryRule } from '../../tenant-core/retention/retention.ts';
import { listUnpreparedLogins } from './login-queries.ts';
import { loginJobKind, prepareLogin } from './login-service.ts';

const batchSize = 50;

/** Logins and sessions that have expired. */
export const portalRetention = expiryRule(({ now: before }) => [
  { table: 'portal_logins', order: ['expires_at', 'id'], before },
  { table: 'portal_sessions', order: ['expires_at', 'id'], before },
]);

/** Creates the job that prepares the logins that holders requested. */
export function portalLoginJob(services: Services): Job {
  return {
    kind: loginJobKind,
    daily: true,
    async run({ tenantId, db, signal }) {
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
