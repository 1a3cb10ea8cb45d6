import type { Kysely } from 'kysely';
import type { PlatformTransaction, TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { CountedResource } from '../../../db/tables/tenant/administration.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Job } from '../../../jobs/job.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import type { PlatformServices, TenantWorkServices } from '../../../services.ts';
import type { PlanLimits, Tenant } from '../../../tenancy/tenant.ts';
import { limitsOf } from '../../../tenancy/tenant-record.ts';
import type { Outbox } from '../events/outbox.ts';
import {
  addToUse,
  countApiKeys,
  countEndedLeases,
  countMembers,
  countRows,
  findPlanLimits,
  lockLimits,
  lockUse,
  readUse,
  writeUse,
} from './queries.ts';

// Quotas of resources in the tenant's database are counted in `plan_use`. Every transaction that creates or deletes
// such a resource updates the counter as its last statement: no transaction waits for another lock while it holds a
// counter, so counters cause no deadlock and are locked only briefly.

interface Reservation {
  readonly resource: CountedResource;
  /** The number of rows that the transaction creates. */
  readonly count: number;
  /** The number of rows that the same transaction removes. */
  readonly freed?: number;
  readonly at: Timestamp;
  readonly requestId: string | null;
}

/**
 * Adds the resources that a transaction has created to the quota counter, and notifies the tenant at 80 % and 100 % of
 * the limit. Call it at the end of the transaction. Throws 403 `PLAN.LIMIT_REACHED` if the number exceeds the limit,
 * which rolls the transaction back. A lowered limit does not affect existing resources.
 */
export async function reserveQuota(
  tx: TenantTransaction,
  outbox: Outbox,
  { limits }: Pick<Tenant, 'limits'>,
  { resource, count, freed = 0, at, requestId }: Reservation,
): Promise<void> {
  const grown = count - freed;
  const after = await addToUse(tx, resource, grown);
  const limit = limits[resource];
  if (limit === null) return;
  if (after > limit && !(await isCoveredByEndedLeases(tx, resource, after - limit, at)))
    throw planLimitReached(resource, limit);
  const notice = limitNotice({ resource, before: after - grown, after, limit, at, requestId });
  if (notice !== null) await outbox.notify(notice);
}

/**
 * Activations whose lease has ended use no quota, although the counter includes them until the lease job closes them.
 */
async function isCoveredByEndedLeases(
  tx: TenantTransaction,
  resource: CountedResource,
  excess: number,
  at: Timestamp,
): Promise<boolean> {
  return resource === 'activations' && (await countEndedLeases(tx, at, excess)) >= excess;
}

/** Subtracts the resources that a transaction has removed from the counter. Call it at the end of the transaction. */
export async function releaseQuota(tx: TenantTransaction, resource: CountedResource, count: number): Promise<void> {
  if (count > 0) await addToUse(tx, resource, -count);
}

/**
 * Returns how many more the plan allows at present; null if unlimited. It is advisory: only `reserveQuota` enforces.
 */
export async function readQuota(
  db: Kysely<TenantTables>,
  { limits }: Pick<Tenant, 'limits'>,
  resource: Exclude<CountedResource, 'activations'>,
): Promise<number | null> {
  const limit = limits[resource];
  return limit === null ? null : Math.max(0, limit - (await readUse(db))[resource]);
}

/** Returns how many there are of a resource, from the counter that every creation and deletion updates. */
export async function countResources(
  { query }: Pick<TenantDb, 'query'>,
  resource: Exclude<CountedResource, 'activations'>,
): Promise<number> {
  return (await readUse(query))[resource];
}

/** Builds the 403 `PLAN.LIMIT_REACHED` of a creation that exceeds the plan. */
export function planLimitReached(resource: LimitedResource, limit: number): AppError {
  const message = `The plan allows at most ${limit} ${resourceNames[resource]}. Remove some, or choose a larger plan. The limits of a test tenant are fixed.`;
  return new AppError('PLAN.LIMIT_REACHED', message);
}

/** The number of each limited resource of a tenant. API keys and members are counted up to 100,000. */
export type PlanUse = Readonly<Record<LimitedResource, number>>;

const countedMax = 100_000;

/** Reads how much of its plan a tenant uses. Every number comes from an index or a counter. */
export async function readPlanUse(
  { clock, platform }: PlatformServices,
  { id, db }: Pick<Tenant, 'id' | 'db'>,
): Promise<PlanUse> {
  const now = clock.now();
  const use = await readUse(db.query);
  return {
    ...use,
    activations: use.activations - (await countEndedLeases(db.query, now, use.activations)),
    api_keys: await countApiKeys(platform.query, id, now, countedMax),
    members: await countMembers(platform.query, id, now, countedMax),
  };
}

/** From this number of rows on, the daily count takes more than some 10 ms. */
const countedInBulk = 200_000;

const countedResources = ['products', 'licenses', 'activations', 'webhooks'] as const satisfies (keyof PlanLimits)[];

/**
 * Compares every counter with its rows and corrects the wrong ones, each in its own transaction. A correct counter
 * costs only reads. Returns the resources whose counters were wrong.
 */
export async function recountUse(db: TenantDb): Promise<CountedResource[]> {
  const wrong: CountedResource[] = [];
  for (const resource of countedResources) {
    if ((await countBeside(db, resource)) === (await readUse(db.query))[resource]) continue;
    if (await correct(db, resource)) wrong.push(resource);
  }
  return wrong;
}

/** Counts many rows in a bulk transaction, because the embedded engine would serve nothing else in the meantime. */
async function countBeside(db: TenantDb, resource: CountedResource): Promise<number> {
  const { [resource]: expected } = await readUse(db.query);
  if (expected < countedInBulk) return await countRows(db.query, resource);
  return await db.bulkTransaction((tx) => countRows(tx, resource));
}

/**
 * Compares again under the lock, because a creation between the two unlocked reads makes a correct counter look wrong.
 */
function correct(db: TenantDb, resource: CountedResource): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockUse(tx, resource);
    const used = await countRows(tx, resource);
    if (used === (await readUse(tx))[resource]) return false;
    await writeUse(tx, resource, used);
    return true;
  });
}

/** Creates the daily job that compares the quota counters with the rows. Only a bug makes them differ. */
export function recountJob({ logger }: TenantWorkServices): Job {
  return {
    kind: 'plan-use-recount',
    daily: true,
    async run({ tenantId, db }) {
      const wrong = await recountUse(db);
      if (wrong.length > 0) {
        logger.warn(
          { tenant_id: tenantId, resources: wrong },
          'quota counters differed from the rows and were corrected',
        );
      }
      return null;
    },
  };
}

// Quotas of resources in the platform database. A tenant has few of each, so they are counted, up to the limit, while
// the tenant's row is locked.

type PlatformResource = 'api_keys' | 'members';

const counts = { api_keys: countApiKeys, members: countMembers } as const;

interface PlatformReservation {
  readonly tenantId: string;
  readonly resource: PlatformResource;
  /** The number of rows that the transaction adds; 0 if it replaces a counted row. */
  readonly added: 0 | 1;
  readonly at: Timestamp;
  readonly requestId: string | null;
}

/** The notification to create with the audit record of the creation; null if no threshold is crossed. */
export type LimitNotice = ReturnType<typeof limitNotice>;

/**
 * Asserts that the plan allows the resource that the transaction is about to create, and locks the tenant's row, so
 * that concurrent transactions wait until this one ends. Returns the notification to record with the audit record of
 * the creation. Throws 403 `PLAN.LIMIT_REACHED`.
 */
export async function assertPlatformQuota(
  tx: PlatformTransaction,
  { tenantId, resource, added, at, requestId }: PlatformReservation,
): Promise<LimitNotice> {
  const tenant = await lockLimits(tx, tenantId);
  if (tenant === undefined) return null;
  const plan_limits_json = await findPlanLimits(tx, tenant.plan_code);
  const limit = limitsOf({ limits_json: tenant.limits_json, plan_limits_json })[resource];
  if (limit === null) return null;
  const before = await counts[resource](tx, tenantId, at, limit + 1);
  if (before + added > limit) throw planLimitReached(resource, limit);
  return limitNotice({ resource, before, after: before + added, limit, at, requestId });
}

/** A resource that a plan limits. */
type LimitedResource = Exclude<keyof PlanLimits, 'integration_requests_per_minute'>;

/** The plural noun for a resource in messages. */
const resourceNames: Readonly<Record<LimitedResource, string>> = {
  products: 'products',
  licenses: 'licenses',
  activations: 'active devices',
  api_keys: 'API keys',
  webhooks: 'webhook endpoints',
  members: 'members',
};

const nearPercent = 80;

/** Returns the highest notified percentage of the limit that `used` has reached: 0, 80 or 100. */
function reachedPercent(used: number, limit: number): 0 | 80 | 100 {
  if (used >= limit) return 100;
  return used * 100 >= limit * nearPercent ? nearPercent : 0;
}

/** A change in the number of a resource. */
export interface Growth {
  readonly resource: LimitedResource;
  readonly before: number;
  readonly after: number;
  readonly limit: number;
  readonly at: Timestamp;
  readonly requestId: string | null;
}

/**
 * Builds the notification of a number that crosses 80 % or 100 % of its limit; returns null if it crosses neither. The
 * occurrence contains the date, so that a number that moves back and forth across a threshold is notified once a day.
 */
function limitNotice({ resource, before, after, limit, at, requestId }: Growth) {
  const percent = reachedPercent(after, limit);
  if (percent === 0 || percent <= reachedPercent(before, limit)) return null;
  const name = resourceNames[resource];
  const isReached = percent === 100;
  const consequence = isReached ? ' The service refuses new ones; existing ones continue to work.' : '';
  const advice = 'Remove unused ones, or choose a larger plan. The limits of a test tenant are fixed.';
  return {
    type: isReached ? 'plan.limit_reached' : 'plan.limit_near',
    severity: isReached ? ('critical' as const) : ('warning' as const),
    title: isReached ? `The plan allows no more ${name}` : `The plan's limit of ${name} is near`,
    body: `${after} of ${limit} ${name} are in use.${consequence} ${advice}`,
    occurrence: ['plan.limit', resource, percent, limit, at.slice(0, 10)].join(':'),
    resource: { type: 'plan', id: null },
    at,
    requestId,
  };
}
