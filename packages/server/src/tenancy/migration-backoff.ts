import type { Logger } from 'pino';
import type { PlatformDb } from '../db/database.ts';
import { DatabaseUnavailableError, TenantMovingError } from '../db/errors.ts';
import { NewerSchemaError } from '../db/migrations/migrate.ts';
import { type Clock, type Timestamp, toTimestamp } from '../lib/clock.ts';
import { retryDelayMs, retrySchedules } from '../lib/retry-schedule.ts';
import type { Metrics } from '../metrics/metrics.ts';

/** Decides when a tenant's database is migrated again after its migration failed. */
export interface MigrationBackoff {
  /**
   * Throws a `DatabaseUnavailableError` if the next attempt is not due and the schema was checked within the last
   * second, so that a tenant that receives many requests is not opened for each of them.
   */
  assertCheckDue(tenantId: string): void;
  /**
   * Runs `migrate` if an attempt is due. A failure is logged and stored once, and postpones the next attempt. After a
   * failure, and when no attempt is due, throws a `DatabaseUnavailableError` without the cause.
   */
  attempt(tenantId: string, migration: string, migrate: () => Promise<unknown>): Promise<void>;
}

/** Attempts every migration at once. For commands. */
export const noBackoff: MigrationBackoff = {
  assertCheckDue: () => undefined,
  async attempt(_tenantId, _migration, migrate) {
    await migrate();
  },
};

const checkIntervalMs = 1000;
const errorLengthMax = 500;

function delayMsAfter(failures: number): number {
  return retryDelayMs(retrySchedules.migration, failures) ?? 0;
}

interface Failing {
  failures: number;
  retryAtMs: number;
  checkedAtMs: number;
}

interface MigrationBackoffOptions {
  readonly platform: PlatformDb;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'error' | 'warn'>;
  readonly metrics: Pick<Metrics, 'countFailedMigration'>;
}

/**
 * Creates the back-off of one process. A new process attempts at once, because it may be a corrected version. Failures
 * are stored in the platform database for `licensing doctor` only.
 */
export function createMigrationBackoff({
  platform,
  clock,
  logger,
  metrics,
}: MigrationBackoffOptions): MigrationBackoff {
  const failing = new Map<string, Failing>();

  /** False also for a time further away than the delay: the clock was set back. */
  function isPostponed({ failures, retryAtMs }: Failing): boolean {
    const leftMs = retryAtMs - clock.nowMs();
    return leftMs > 0 && leftMs <= delayMsAfter(failures);
  }

  /** Returns the time of the next attempt. */
  async function recordFailure(tenantId: string, migration: string, error: unknown): Promise<Timestamp> {
    const failures = (failing.get(tenantId)?.failures ?? 0) + 1;
    const nowMs = clock.nowMs();
    const retryAtMs = nowMs + delayMsAfter(failures);
    failing.set(tenantId, { failures, retryAtMs, checkedAtMs: nowMs });
    const retry_at = toTimestamp(retryAtMs);
    metrics.countFailedMigration();
    logger.error(
      { err: error, tenant_id: tenantId, failures, retry_at },
      'a tenant database could not be migrated, so the tenant is unavailable',
    );
    const message = error instanceof Error ? error.message : String(error);
    const row = { failures, retry_at, migration, error: message.slice(0, errorLengthMax), failed_at: clock.now() };
    await platform.query
      .insertInto('migration_failures')
      .values({ tenant_id: tenantId, ...row })
      .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(row))
      .execute()
      .catch((cause: unknown) => {
        logger.warn({ err: cause, tenant_id: tenantId }, 'the failure of a migration could not be stored for doctor');
      });
    return retry_at;
  }

  return {
    assertCheckDue(tenantId) {
      const known = failing.get(tenantId);
      if (known === undefined || !isPostponed(known)) return;
      const sinceMs = clock.nowMs() - known.checkedAtMs;
      if (sinceMs >= 0 && sinceMs < checkIntervalMs) throw postponed(tenantId, toTimestamp(known.retryAtMs));
      known.checkedAtMs = clock.nowMs();
    },
    async attempt(tenantId, migration, migrate) {
      const known = failing.get(tenantId);
      if (known !== undefined && isPostponed(known)) throw postponed(tenantId, toTimestamp(known.retryAtMs));
      try {
        await migrate();
      } catch (error) {
        // Neither is a failure of the migration: a newer version ran one, or the tenant is being moved.
        if (error instanceof NewerSchemaError || error instanceof TenantMovingError) throw error;
        throw postponed(tenantId, await recordFailure(tenantId, migration, error));
      }
      failing.delete(tenantId);
    },
  };
}

function postponed(tenantId: string, retryAt: Timestamp): DatabaseUnavailableError {
  return new DatabaseUnavailableError(
    `Tenant ${tenantId} cannot be opened, because the migration of its database failed. The next attempt is at ${retryAt}; "licensing migrate" retries at once.`,
  );
}
