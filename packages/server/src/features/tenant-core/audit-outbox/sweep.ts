import { setTimeout as delay } from 'node:timers/promises';
import type { PlatformDb } from '../../../db/database.ts';
import { type AuditOutboxServices, completeTenantAudit } from './service.ts';

/** Completes the handoffs that a crash or an unreachable tenant database left behind. */
export interface AuditOutboxSweep {
  /**
   * Goes on with the next tenants that have any. A tenant whose database does not answer is left after a moment and goes
   * on by itself, so that it holds up no other. Answers how many tenants were not completed.
   * A call while one runs joins it.
   */
  sweepNext(): Promise<number>;
  /** Waits for what goes on by itself. */
  idle(): Promise<void>;
}

interface AuditOutboxSweepOptions {
  readonly tenantsPerSweep?: number;
  /** How long a tenant is waited for. */
  readonly tenantTimeoutMs?: number;
}

const defaultTenantsPerSweep = 200;
const defaultTenantTimeoutMs = 2000;
/** How many tenants are looked after at the same time. */
const places = 4;
/** Of tenants that do not answer so many may go on at once: each waits for a connection, and for nothing else. */
const hangingMax = 200;

/** Makes the sweep of one process. */
export function createAuditOutboxSweep(
  services: AuditOutboxServices,
  options: AuditOutboxSweepOptions = {},
): AuditOutboxSweep {
  const { tenantsPerSweep = defaultTenantsPerSweep, tenantTimeoutMs = defaultTenantTimeoutMs } = options;
  const underWay = new Map<string, Promise<boolean>>();
  let lastTenantId = '';
  let sweeping: Promise<number> | undefined;

  /** True when it was completed within the patience. */
  async function attend(tenantId: string): Promise<boolean> {
    // It has not answered since an earlier sweep.
    if (underWay.has(tenantId) || underWay.size >= hangingMax) return false;
    const work = completeTenantAudit(services, tenantId).finally(() => underWay.delete(tenantId));
    underWay.set(tenantId, work);
    const stop = new AbortController();
    const tooLong = delay(tenantTimeoutMs, false, { signal: stop.signal }).catch(() => false);
    try {
      return await Promise.race([work, tooLong]);
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
        if (!(await attend(next))) failed += 1;
      }
    };
    await Promise.all(Array.from({ length: places }, work));
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
      await Promise.all(underWay.values());
    },
  };
}

/** The next tenants after one for which records wait: one look into the index for each, however many records there are. */
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
