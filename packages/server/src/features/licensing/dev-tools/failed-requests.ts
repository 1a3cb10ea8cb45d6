import type { Logger } from 'pino';
import type { TenantDb } from '../../../db/database.ts';
import type { FailedRequestsTable } from '../../../db/tables/tenant/failed-requests.ts';
import { createWriteBehind, flushGroups, type WriteBehind } from '../../../lib/write-behind.ts';
import type { TenantPool } from '../../../tenancy/tenant-pool.ts';
import { keepNewestFailures } from './queries.ts';

/** How many are kept, shown, and at most wait to be written, per tenant. */
export const keptFailures = 20;

const maxDelayMs = 1000;
/** While databases cannot be written, the failures of so many tenants wait: about 30 MB. */
const maxTenants = 5000;

interface FailedRequestsOptions {
  readonly withTenant: Pick<TenantPool, 'withTenantDb'>;
  readonly logger: Logger;
}

/**
 * The last Integration requests of each tenant that failed: gathered in memory and written at most a second later, a
 * transaction per tenant. However many fail, at most twenty rows are written per tenant and second.
 */
export class FailedRequests {
  readonly #failures: WriteBehind<string, readonly FailedRequestsTable[]>;

  constructor({ withTenant, logger }: FailedRequestsOptions) {
    this.#failures = createWriteBehind<string, readonly FailedRequestsTable[]>({
      maxDelayMs,
      maxKeys: maxTenants,
      flush: (batch) => writeFailures(batch, (tenantId, work) => withTenant.withTenantDb(tenantId, work)),
      onError: (error) => logger.warn({ err: error }, 'failed requests could not be written; it is tried again'),
    });
  }

  /** Costs no I/O. */
  record(tenantId: string, failure: FailedRequestsTable): void {
    // What is being written stays in the list: if that fails, this list stands for both. Rows are written once, by id.
    const waiting = this.#failures.peek(tenantId) ?? [];
    this.#failures.record(tenantId, [...waiting.slice(1 - keptFailures), failure]);
  }

  /** The newest of what is stored and what waits to be written, the newest first. */
  newest(tenantId: string, stored: readonly FailedRequestsTable[]): FailedRequestsTable[] {
    const byId = new Map([...stored, ...(this.#failures.peek(tenantId) ?? [])].map((failure) => [failure.id, failure]));
    return [...byId.values()].sort(newestFirst).slice(0, keptFailures);
  }

  flush(): Promise<void> {
    return this.#failures.flush();
  }

  close(): Promise<void> {
    return this.#failures.close();
  }
}

function newestFirst(left: FailedRequestsTable, right: FailedRequestsTable): number {
  if (left.occurred_at !== right.occurred_at) return left.occurred_at < right.occurred_at ? 1 : -1;
  return left.id < right.id ? 1 : -1;
}

type WithTenantDb = (tenantId: string, work: (db: TenantDb) => Promise<void>) => Promise<void>;

/** One tenant that fails keeps its failures for the next flush and costs no other tenant anything. */
async function writeFailures(
  batch: ReadonlyMap<string, readonly FailedRequestsTable[]>,
  withTenantDb: WithTenantDb,
): Promise<void> {
  const groups = Array.from(batch, ([tenantId, failures]) => ({
    keys: [tenantId],
    write: () => withTenantDb(tenantId, (db) => db.transaction((tx) => keepNewestFailures(tx, failures, keptFailures))),
  }));
  await flushGroups(groups);
}
