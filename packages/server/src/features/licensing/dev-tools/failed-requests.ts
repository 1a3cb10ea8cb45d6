import type { Logger } from 'pino';
import type { TenantDb } from '../../../db/database.ts';
import type { FailedRequestsTable } from '../../../db/tables/tenant/administration.ts';
import { createWriteBehind, flushGroups, type WriteBehind } from '../../../lib/write-behind.ts';
import type { TenantPool } from '../../../tenancy/tenant-pool.ts';
import { keepNewestFailures } from './queries.ts';

/** The number of failed requests per tenant that are stored, shown, and buffered at most. */
export const keptFailures = 20;

const maxDelayMs = 1000;
/** While databases cannot be written, failures of at most 5,000 tenants are buffered: about 30 MB. */
const maxTenants = 5000;

interface FailedRequestsOptions {
  readonly withTenant: Pick<TenantPool, 'withTenantDb'>;
  readonly logger: Logger;
}

/**
 * Buffers the newest failed Integration requests of each tenant in memory and writes them at most 1 s later, in one
 * transaction per tenant. At most 20 rows are written per tenant and second.
 */
export class FailedRequests {
  readonly #failures: WriteBehind<string, readonly FailedRequestsTable[]>;

  constructor({ withTenant, logger }: FailedRequestsOptions) {
    this.#failures = createWriteBehind<string, readonly FailedRequestsTable[]>({
      maxDelayMs,
      maxKeys: maxTenants,
      flush: (batch) => writeFailures(batch, (tenantId, work) => withTenant.withTenantDb(tenantId, work)),
      onError: (error) => logger.warn({ err: error }, 'writing failed requests failed; retrying with the next flush'),
    });
  }

  /** Buffers a failed request. Costs no I/O. */
  record(tenantId: string, failure: FailedRequestsTable): void {
    // The list also contains failures that are being written, in case the write fails. Ids keep rows from being
    // written twice.
    const waiting = this.#failures.peek(tenantId) ?? [];
    this.#failures.record(tenantId, [...waiting.slice(1 - keptFailures), failure]);
  }

  /** Merges the stored and the buffered failures. Returns the 20 newest, newest first. */
  newest(tenantId: string, stored: readonly FailedRequestsTable[]): FailedRequestsTable[] {
    const byId = new Map([...stored, ...(this.#failures.peek(tenantId) ?? [])].map((failure) => [failure.id, failure]));
    return [...byId.values()].sort(newestFirst).slice(0, keptFailures);
  }

  /** Writes everything that is buffered. */
  flush(): Promise<void> {
    return this.#failures.flush();
  }

  /** Writes everything that is buffered, then stops the timer. */
  close(): Promise<void> {
    return this.#failures.close();
  }
}

function newestFirst(left: FailedRequestsTable, right: FailedRequestsTable): number {
  if (left.occurred_at !== right.occurred_at) return left.occurred_at < right.occurred_at ? 1 : -1;
  return left.id < right.id ? 1 : -1;
}

type WithTenantDb = (tenantId: string, work: (db: TenantDb) => Promise<void>) => Promise<void>;

/** If a write fails, the tenant's failures stay buffered for the next flush. Other tenants are not affected. */
async function writeFailures(
  batch: ReadonlyMap<string, readonly FailedRequestsTable[]>,
  withTenantDb: WithTenantDb,
): Promise<void> {
  const groups = Array.from(batch, ([tenantId, failures]) => ({
    keys: [tenantId],
    write: () =>
      withTenantDb(tenantId, (db) =>
        db.transaction((tx) => keepNewestFailures(tx, failures, keptFailures), { mayLoseChanges: true }),
      ),
  }));
  await flushGroups(groups);
}
