import { setTimeout as delay } from 'node:timers/promises';
import type { PlatformDb } from '../../../db/database.ts';
import { type AuditOutboxServices, completeWaitingAudit } from './service.ts';

/** Copies audit records that a crash or an unreachable tenant database left in the outbox. */
export interface AuditOutboxSweep {
  /**
   * Handles the next tenants with pending records, in the order of their ids. A tenant whose database does not respond
   * within the timeout continues in the background, so that it delays no other; after a failure it is left out for a
   * growing time. Returns the number of tenants not completed. A call during a sweep joins that sweep.
   */
  sweepNext(): Promise<number>;
  /** Waits for the tenants that continue in the background. */
  idle(): Promise<void>;
}

interface AuditOutboxSweepOptions {
  /** The number of tenants that one sweep tries. Tenants that are left out do not count. */
  readonly tenantsPerSweep?: number;
  /** How long a sweep waits for one tenant. */
  readonly tenantTimeoutMs?: number;
  /** The number of tenants that failed before and are tried at the same time, without being waited for. */
  readonly retriesMax?: number;
}

const defaultTenantsPerSweep = 200;
const defaultTenantTimeoutMs = 500;
const defaultRetriesMax = 50;
const concurrentTenants = 4;
/** The first sweep after a failure retries; each further failure doubles the delay. */
const firstDelayMs = 30_000;
const longestDelayMs = 600_000;
/** A tenant that is not listed again for this long was completed by a request. */
const forgottenAfterMs = 3_600_000;

interface Failing {
  readonly failures: number;
  readonly retryAtMs: number;
}

/** Creates the sweep of this process. */
export function createAuditOutboxSweep(
  services: AuditOutboxServices,
  options: AuditOutboxSweepOptions = {},
): AuditOutboxSweep {
  const {
    tenantsPerSweep = defaultTenantsPerSweep,
    tenantTimeoutMs = defaultTenantTimeoutMs,
    retriesMax = defaultRetriesMax,
  } = options;
  const { clock, platform } = services;
  const inProgress = new Map<string, Promise<boolean>>();
  const failing = new Map<string, Failing>();
  let retrying = 0;
  let lastTenantId = '';
  let sweeping: Promise<number> | undefined;

  function postpone(tenantId: string): void {
    const failures = (failing.get(tenantId)?.failures ?? 0) + 1;
    const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - 1));
    failing.set(tenantId, { failures, retryAtMs: clock.nowMs() + delayMs });
  }

  /** False also for a time further away than the longest delay: the clock was set back. */
  function isPostponed(tenantId: string): boolean {
    if (inProgress.has(tenantId)) return true;
    const leftMs = (failing.get(tenantId)?.retryAtMs ?? 0) - clock.nowMs();
    return leftMs > 0 && leftMs <= longestDelayMs;
  }

  function start(tenantId: string): Promise<boolean> {
    const work = completeWaitingAudit(services, tenantId).then((isDone) => {
      inProgress.delete(tenantId);
      if (isDone) failing.delete(tenantId);
      else postpone(tenantId);
      return isDone;
    });
    inProgress.set(tenantId, work);
    return work;
  }

  /** Returns true if the tenant was completed within the timeout. */
  async function completeInTime(tenantId: string): Promise<boolean> {
    const stop = new AbortController();
    const timedOut = delay(tenantTimeoutMs, false, { signal: stop.signal }).catch(() => false);
    try {
      return await Promise.race([start(tenantId), timedOut]);
    } finally {
      stop.abort();
    }
  }

  /** Tries a tenant that failed before without waiting for it, so that an outage never delays the other tenants. */
  function retry(tenantId: string): void {
    if (retrying >= retriesMax) return;
    retrying += 1;
    void start(tenantId).finally(() => {
      retrying -= 1;
    });
  }

  /** Returns the number of tenants that were not completed. */
  async function tryAll(tenantIds: readonly string[]): Promise<number> {
    const waiting = [...tenantIds];
    let failed = 0;
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (failing.has(next)) {
          retry(next);
          failed += 1;
        } else if (!(await completeInTime(next))) failed += 1;
      }
    };
    await Promise.all(Array.from({ length: concurrentTenants }, work));
    return failed;
  }

  function forgetCompleted(): void {
    const before = clock.nowMs() - forgottenAfterMs;
    for (const [tenantId, { retryAtMs }] of failing) if (retryAtMs < before) failing.delete(tenantId);
  }

  async function sweep(): Promise<number> {
    forgetCompleted();
    let failed = 0;
    for (let left = tenantsPerSweep; left > 0; ) {
      const listed = await listWaitingTenants(platform, lastTenantId, left);
      const due = listed.filter((tenantId) => !isPostponed(tenantId));
      failed += listed.length - due.length + (await tryAll(due));
      lastTenantId = listed.length < left ? '' : (listed.at(-1) ?? '');
      if (lastTenantId === '') break;
      left -= due.length;
    }
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
