import { setTimeout as delay } from 'node:timers/promises';
import type { PlatformDb } from '../../../db/database.ts';
import { type AuditOutboxServices, completeTenantAudit } from './service.ts';

/** Copies audit records that a crash or an unreachable tenant database left in the outbox. */
export interface AuditOutboxSweep {
  /**
   * Handles the next tenants with pending records, in the order of their ids. A tenant whose database does not respond
   * within the timeout continues in the background, so that it delays no other. Returns the number of tenants not
   * completed. A call during a sweep joins that sweep.
   */
  sweepNext(): Promise<number>;
  /** Waits for the tenants that continue in the background. */
  idle(): Promise<void>;
}

interface AuditOutboxSweepOptions {
  readonly tenantsPerSweep?: number;
  /** How long a sweep waits for one tenant. */
  readonly tenantTimeoutMs?: number;
}

const defaultTenantsPerSweep = 200;
const defaultTenantTimeoutMs = 2000;
const concurrentTenants = 4;
/** Limits the tenants that continue in the background; each holds no resource except its wait for a connection. */
const unresponsiveMax = 200;

/** Creates the sweep of this process. */
export function createAuditOutboxSweep(
  services: AuditOutboxServices,
  options: AuditOutboxSweepOptions = {},
): AuditOutboxSweep {
  const { tenantsPerSweep = defaultTenantsPerSweep, tenantTimeoutMs = defaultTenantTimeoutMs } = options;
  const inProgress = new Map<string, Promise<boolean>>();
  let lastTenantId = '';
  let sweeping: Promise<number> | undefined;

  /** Returns true if the tenant was completed within the timeout. */
  async function completeInTime(tenantId: string): Promise<boolean> {
    // An earlier sweep still waits for this tenant.
    if (inProgress.has(tenantId) || inProgress.size >= unresponsiveMax) return false;
    const work = completeTenantAudit(services, tenantId).finally(() => inProgress.delete(tenantId));
    inProgress.set(tenantId, work);
    const stop = new AbortController();
    const timedOut = delay(tenantTimeoutMs, false, { signal: stop.signal }).catch(() => false);
    try {
      return await Promise.race([work, timedOut]);
    } finally {
      stop.abort();
    }
  }

  async function sweep(): Promise<number> {
    const waiting = await listWaitingTenants(services.platform, lastTenantId, tenantsPerSweep);
    lastTenantId = waiting.length < tenantsPerSweep ? '' : (waiting.at(-1) ?? '');
    let failed = 0;
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (!(await completeInTime(next))) failed += 1;
      }
    };
    await Promise.all(Array.from({ length: concurrentTenants }, work));
    return failed;
  }

  return {
    sweepNext() {
      sweeping ??= sweep().finally(() => {
        sweeping = undefined;
      });
      return sweeping;
    },
    async idle() {
      await Promise.all(inProgress.values());
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
