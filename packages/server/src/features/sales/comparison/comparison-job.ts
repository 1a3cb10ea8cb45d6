import type { TenantDb } from '../../../db/database.ts';
import type { Job } from '../../../jobs/job.ts';
import { longWorkJob } from '../../../jobs/long-work.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { AppError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { findConnection, listComparing } from '../connections/service.ts';
import { connectionActor } from '../sales/context.ts';
import { continueComparison } from './page-service.ts';
import { endOrphans, latestComparison } from './queries.ts';
import { comparisonJobKind, startComparison } from './service.ts';

/**
 * The least time between the starts of two pages. It keeps within the strictest rate limit of a shop (Lemon Squeezy permits
 * 300 requests per minute), and leaves the thread to validations, which wait while a page is compared.
 */
const pageGapMs = 200;
/** A connection is compared again after so long. Shorter than a day, so that the daily run never misses one. */
const nightSeconds = 20 * 3600;

/**
 * Creates the job that compares the sales of shops with the licenses here, page by page. Its runs have slots of their own,
 * because they mostly wait for the shop. The daily run starts the comparisons of the night.
 */
export function comparisonJob(services: Services): Job {
  return longWorkJob(services, {
    kind: comparisonJobKind,
    table: 'comparisons',
    slots: 2,
    restMs: (tookMs) => Math.max(0, pageGapMs - tookMs),
    async begin(tenant, signal) {
      await endOrphans(tenant.db.query, services.clock.now(), 'The connection was disabled or deleted.');
      await startNightly(services, tenant);
      return async (comparison) => {
        const connection = await findConnection(tenant.db, comparison.connection_id);
        // Undefined: it was deleted meanwhile. The next run ends the comparison.
        if (connection !== undefined) {
          await continueComparison({ services, tenant, connection, signal }, comparison);
        }
      };
    },
  });
}

/** Starts the comparisons of connections that ask for one every night. */
async function startNightly(services: Services, tenant: Tenant): Promise<void> {
  const { db } = tenant;
  for (const { id } of await listComparing(db.query)) {
    if (!(await isDue(db, id, services.clock.now()))) continue;
    await startComparison(services, tenant, id, { actor: connectionActor(id), isNightly: true }).catch(
      (error: unknown) => {
        // Another one runs, or the API key was removed meanwhile.
        if (!(error instanceof AppError)) throw error;
      },
    );
  }
}

async function isDue({ query }: TenantDb, connectionId: string, now: Timestamp): Promise<boolean> {
  const latest = await latestComparison(query, connectionId);
  return latest === null || latest < addSeconds(now, -nightSeconds);
}
