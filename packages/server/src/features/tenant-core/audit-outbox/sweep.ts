import type { PlatformDb } from '../../../db/database.ts';
import type { PlatformJob } from '../../../jobs/job.ts';
import type { TenantWorkServices } from '../../../services.ts';
import { copyAuditRecords } from './service.ts';

const jobKind = 'audit-outbox';
/** The databases of many tenants can be unresponsive at the same time; they must not delay the others. */
const slots = 64;
const defaultTenantsPerSweep = 500;

/** Returns the job that copies pending audit records into the database of a tenant, the subject. It never gives up. */
export function auditOutboxJob(services: TenantWorkServices): PlatformJob {
  return {
    kind: jobKind,
    daily: false,
    slots,
    outlastsCrashes: true,
    outlastsFailures: true,
    async runForPlatform({ subjectId }) {
      await copyAuditRecords(services, subjectId);
      return null;
    },
  };
}

/** Finds audit records that a crash or an unreachable tenant database left in the outbox. */
export interface AuditOutboxSweep {
  /** Wakes the job for the next tenants with pending records, in the order of their ids. */
  sweepNext(): Promise<void>;
}

/** Creates the sweep of this process. After the last tenant it starts again at the first. */
export function createAuditOutboxSweep(
  { clock, platform, wakeUps }: TenantWorkServices,
  tenantsPerSweep = defaultTenantsPerSweep,
): AuditOutboxSweep {
  let lastTenantId = '';
  return {
    async sweepNext() {
      const tenantIds = await listWaitingTenants(platform, lastTenantId, tenantsPerSweep);
      // After a failed run the row keeps its delay.
      for (const tenantId of tenantIds) wakeUps.scheduleAfterCommit(tenantId, jobKind, clock.now());
      lastTenantId = tenantIds.length < tenantsPerSweep ? '' : (tenantIds.at(-1) ?? '');
    },
  };
}

/**
 * Returns the next tenants with pending records, after `after` in the order of ids. The recursive query makes one index
 * lookup for each tenant, regardless of the number of records.
 */
async function listWaitingTenants({ query }: PlatformDb, after: string, limit: number): Promise<string[]> {
  const rows = await query
    .withRecursive('waiting(tenant_id)', (db) =>
      db
        .selectFrom('audit_outbox')
        .select(({ fn }) => fn.min<string | null>('audit_outbox.tenant_id').as('tenant_id'))
        .where('audit_outbox.tenant_id', '>', after)
        .unionAll(
          db
            .selectFrom('waiting')
            .where('waiting.tenant_id', 'is not', null)
            .select((eb) =>
              eb
                .selectFrom('audit_outbox as later')
                .select(({ fn }) => fn.min<string | null>('later.tenant_id').as('next'))
                .whereRef('later.tenant_id', '>', 'waiting.tenant_id')
                .as('tenant_id'),
            ),
        ),
    )
    .selectFrom('waiting')
    .select('tenant_id')
    .where('tenant_id', 'is not', null)
    .limit(limit)
    .execute();
  return rows.flatMap(({ tenant_id }) => (tenant_id === null ? [] : [tenant_id]));
}
