import type { TenantDb } from '../../../db/database.ts';
import { earlierOf, type Job } from '../../../jobs/job.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { findTenantRecord, tenantOf } from '../../../tenancy/tenant-record.ts';
import { readSettings } from '../../tenant-core/settings/service.ts';
import { findConnection, salesJobKind } from '../connections/service.ts';
import { applyDueSales, nextSaleDue } from '../sales/service.ts';
import { applyMessage } from './apply-message-service.ts';
import { listDueMessages, makeFailedDue, nextMessageDue, postponeMessages } from './queries.ts';

/** Messages and sales per read. */
const batchSize = 50;
/** After so many messages the run ends, so that other tenants get its slot. */
const messagesPerRun = 500;

/**
 * Creates the job that applies the messages of a tenant's shops in the order received, and then the sales whose time has
 * come. Its runs have slots of their own, because they may wait for the API of a shop.
 */
export function salesJob(services: Services): Job {
  return {
    kind: salesJobKind,
    daily: true,
    slots: 4,
    outlastsCrashes: true,
    outlastsFailures: true,
    async run({ tenantId, db, signal }) {
      const tenant = await resolveTenant(services, tenantId, db);
      if (tenant === undefined) return null;
      for (let done = 0; done < messagesPerRun && !signal.aborted; ) {
        const messages = await applyDueMessages(services, tenant, signal);
        const sales = await applyDueSales(services, tenant, batchSize);
        const settled = sales.filter(({ isSettled }) => isSettled).map(({ id }) => id);
        await makeFailedDue(db.query, settled, services.clock.now());
        if (messages + sales.length === 0) break;
        done += messages + sales.length;
      }
      return await nextDue(db);
    },
  };
}

/** Returns the tenant with its limits as they are now, because a license may not be issued beyond them. */
async function resolveTenant(services: Services, tenantId: string, db: TenantDb): Promise<Tenant | undefined> {
  const record = await findTenantRecord(services.platform, tenantId);
  return record === undefined ? undefined : tenantOf(record, db);
}

async function nextDue({ query }: TenantDb): Promise<Timestamp | null> {
  return earlierOf(await nextMessageDue(query), await nextSaleDue(query));
}

/** Applies the next messages that are due and returns their number. */
async function applyDueMessages(services: Services, tenant: Tenant, signal: AbortSignal): Promise<number> {
  const { db } = tenant;
  const now = services.clock.now();
  const due = await listDueMessages(db.query, now, batchSize);
  if (due.length === 0) return 0;
  const { timezone } = await readSettings(db);
  const paused = new Set<string>();
  for (const message of due) {
    if (signal.aborted) break;
    if (paused.has(message.connection_id)) continue;
    const connection = await findConnection(db, message.connection_id);
    if (connection === undefined) continue;
    const until = await applyMessage({ services, tenant, timezone, connection, signal }, message);
    if (until === null) continue;
    paused.add(connection.id);
    await postponeMessages(db.query, connection.id, { now: services.clock.now(), until });
  }
  return due.length;
}
