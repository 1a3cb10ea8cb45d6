import { setTimeout as delay } from 'node:timers/promises';
import type { TenantDb } from '../../../db/database.ts';
import type { Job } from '../../../jobs/job.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { AppError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { findTenantRecord, tenantOf } from '../../../tenancy/tenant-record.ts';
import { findConnection, listComparing } from '../connections/service.ts';
import { connectionActor } from '../sales/context.ts';
import { continueComparison } from './page-service.ts';
import { endOrphans, findDueComparison, latestComparison, nextComparisonDue } from './queries.ts';
import { comparisonJobKind, startComparison } from './service.ts';

/** After so many pages the run ends, so that other tenants get its slot. */
const pagesPerRun = 20;
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
  return {
    kind: comparisonJobKind,
    daily: true,
    slots: 2,
    outlastsCrashes: true,
    outlastsFailures: true,
    async run({ tenantId, db, signal }) {
      const record = await findTenantRecord(services.platform, tenantId);
      if (record === undefined) return null;
      const tenant = tenantOf(record, db);
      const ended = 'The connection was disabled or deleted.';
      await endOrphans(db.query, services.clock.now(), ended);
      await startNightly(services, tenant);
      for (let page = 0; page < pagesPerRun && !signal.aborted; page += 1) {
        const nextPageMs = performance.now() + pageGapMs;
        if (!(await continueNext(services, tenant, signal))) break;
        // A stop of the process ends the run at once; the next one continues at the stored page.
        await delay(Math.max(0, nextPageMs - performance.now()), undefined, { signal }).catch(() => undefined);
      }
      return await nextComparisonDue(db.query);
    },
  };
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

/** Continues the comparison that waits the longest. Returns false if none is due. */
async function continueNext(services: Services, tenant: Tenant, signal: AbortSignal): Promise<boolean> {
  const { db } = tenant;
  const comparison = await findDueComparison(db.query, services.clock.now());
  if (comparison === undefined) return false;
  const connection = await findConnection(db, comparison.connection_id);
  if (connection === undefined) return false;
  await continueComparison({ services, tenant, connection, signal }, comparison);
  return true;
}
