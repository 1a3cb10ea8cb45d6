import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { Job, JobRun } from '../../../jobs/job.ts';
import type { Clock, Timestamp } from '../../../lib/clock.ts';
import { addDays, addSeconds } from '../../../lib/duration.ts';
import type { Services } from '../../../services.ts';
import { trimUsage } from '../../licensing/usage/retention-service.ts';
import { deliveryTrim } from '../../webhooks/delivery/retention-service.ts';
import { trimAuditLogs } from '../audit/retention-service.ts';
import { trimIdempotencyKeys } from '../idempotency/service.ts';
import { trimNotifications } from '../notifications/retention-service.ts';
import { readSettings } from '../settings/service.ts';
import type { StoredSettings } from '../settings/settings.ts';

/** A transaction of so many rows is over before a request notices that it waited. */
const batchSize = 500;
const batchesPerRun = 200;

/** Removes one batch, and answers whether there may be more. */
type Trim = (db: TenantDb) => Promise<boolean>;

/** Removes at most so many rows and answers how many it removed. */
type TrimRows = (tx: TenantTransaction, limit: number) => Promise<number>;

function inBatches(trim: TrimRows): Trim {
  return async (db) => (await db.transaction((tx) => trim(tx, batchSize))) === batchSize;
}

/** Removes what is older than the tenant's settings say, once a day, in batches with requests in between. */
export function retentionJob({ clock }: Pick<Services, 'clock'>): Job {
  return { kind: 'retention', daily: true, run: (run) => trimAll(clock, run) };
}

/** What is exactly as old as the settings say is kept. Notifications stay as long as what the audit log says of them. */
function trimsOf({ retention_days, timezone }: StoredSettings, now: Timestamp): Trim[] {
  return [
    inBatches((tx, limit) => trimAuditLogs(tx, addDays(now, -retention_days.audit), limit)),
    inBatches((tx, limit) => trimUsage(tx, addDays(now, -retention_days.usage), timezone, limit)),
    inBatches((tx, limit) => trimIdempotencyKeys(tx, now, limit)),
    deliveryTrim(addDays(now, -retention_days.deliveries)),
    inBatches((tx, limit) => trimNotifications(tx, addDays(now, -retention_days.audit), limit)),
  ];
}

async function trimAll(clock: Clock, { db, signal }: JobRun): Promise<Timestamp | null> {
  const trims = trimsOf(await readSettings(db), clock.now());
  let trim = trims.shift();
  for (let batch = 0; trim !== undefined; batch += 1) {
    // The rest goes on with the next run, after what is due for other tenants.
    if (signal.aborted || batch >= batchesPerRun) return addSeconds(clock.now(), 1);
    if (!(await trim(db))) trim = trims.shift();
    await nextTurn();
  }
  return null;
}
