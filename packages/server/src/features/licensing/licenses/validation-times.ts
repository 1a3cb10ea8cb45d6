import type { Logger } from 'pino';
import type { TenantDb } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { createWriteBehind, flushGroups, type WriteBehind } from '../../../lib/write-behind.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import type { TenantPool } from '../../../tenancy/tenant-pool.ts';
import { tenantsInReach } from '../../../tenancy/tenants-in-reach.ts';
import { recordValidations } from './queries.ts';

const maxDelayMs = 1000;
/** Licenses per transaction. On the embedded engine a transaction blocks the process, so it must stay short. */
const maxPerTransaction = 250;
/** The service stops within 10 s, in which it writes for all tenants. */
const tenantsAtTheEnd = 8;
/** Above this number of waiting licenses, nothing is postponed. This limits memory. */
const postponedLicensesMax = 50_000;

interface Validation {
  readonly tenantId: string;
  readonly at: Timestamp;
}

interface ValidationTimesOptions {
  readonly withTenant: Pick<TenantPool, 'withTenantDb' | 'hasConnectionAtHand'>;
  readonly logger: Logger;
}

/**
 * Buffers `last_validated_at` of licenses in memory. Writes it at most 1 s later, in transactions of up to 250
 * licenses per tenant. A failed write is retried. Where active tenants outnumber the connections of their server, each
 * second's flush writes for ten tenants without a connection at most. The tenants that have waited longest come first.
 */
export class ValidationTimes {
  readonly #validations: WriteBehind<string, Validation>;
  #isClosing = false;

  constructor({ withTenant, logger }: ValidationTimesOptions) {
    this.#validations = createWriteBehind<string, Validation>({
      maxDelayMs,
      postpone: (waiting) => licensesToPostpone(waiting, withTenant),
      flush: (batch) => {
        const write: WithTenantDb = (tenantId, work) => withTenant.withTenantDb(tenantId, work);
        return writeValidations(batch, write, this.#isClosing ? tenantsAtTheEnd : 1);
      },
      onError: (error) =>
        logger.warn({ err: error }, 'writing last_validated_at of licenses failed; retrying with the next flush'),
    });
  }

  /** Records a validation at `at`. Costs no I/O. */
  record(tenant: Pick<Tenant, 'id'>, licenseId: string, at: Timestamp): void {
    this.#validations.record(licenseId, { tenantId: tenant.id, at });
  }

  /** Returns the newer of the stored and the buffered time, so that every read shows the newest value. */
  newest(licenseId: string, stored: Timestamp | null): Timestamp | null {
    const waiting = this.#validations.peek(licenseId);
    if (waiting === undefined) return stored;
    return stored === null || waiting.at > stored ? waiting.at : stored;
  }

  /** Writes everything that is buffered. */
  flush(): Promise<void> {
    return this.#validations.flush();
  }

  /** Writes everything that is buffered, then stops the timer. */
  close(): Promise<void> {
    this.#isClosing = true;
    return this.#validations.close();
  }
}

function licensesToPostpone(
  waiting: ReadonlyMap<string, Validation>,
  tenants: Pick<TenantPool, 'hasConnectionAtHand'>,
): ReadonlySet<string> {
  if (waiting.size > postponedLicensesMax) return new Set();
  const inReach = tenantsInReach(waiting.values(), tenants);
  return new Set([...waiting].flatMap(([licenseId, { tenantId }]) => (inReach.has(tenantId) ? [] : [licenseId])));
}

type WithTenantDb = (tenantId: string, work: (db: TenantDb) => Promise<void>) => Promise<void>;

/** If a write fails, the tenant's values stay buffered for the next flush. Other tenants are not affected. */
async function writeValidations(
  batch: ReadonlyMap<string, Validation>,
  withTenantDb: WithTenantDb,
  parallelism: number,
): Promise<void> {
  const groups = Array.from(groupByTenant(batch), ([tenantId, validations]) => ({
    keys: validations.keys(),
    write: () => withTenantDb(tenantId, (db) => writeInSlices(db, validations)),
  }));
  await flushGroups(groups, parallelism);
}

/** Yields to the event loop between two transactions, so that requests are served. */
async function writeInSlices(db: TenantDb, validations: ReadonlyMap<string, Timestamp>): Promise<void> {
  const entries = [...validations].sort(([left], [right]) => (left < right ? -1 : 1));
  for (let start = 0; start < entries.length; start += maxPerTransaction) {
    const slice = new Map(entries.slice(start, start + maxPerTransaction));
    await db.transaction((tx) => recordValidations(tx, slice), { mayLoseChanges: true });
  }
}

function groupByTenant(batch: ReadonlyMap<string, Validation>): Map<string, Map<string, Timestamp>> {
  const byTenant = new Map<string, Map<string, Timestamp>>();
  for (const [licenseId, { tenantId, at }] of batch) {
    const ofTenant = byTenant.get(tenantId) ?? new Map<string, Timestamp>();
    byTenant.set(tenantId, ofTenant.set(licenseId, at));
  }
  return byTenant;
}
