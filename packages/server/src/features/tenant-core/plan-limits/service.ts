import type { Kysely } from 'kysely';
import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { CountedResource } from '../../../db/tables/tenant/plan-use.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { PlanLimits, Tenant } from '../../../tenancy/tenant.ts';
import type { Outbox } from '../events/outbox.ts';
import { type LimitedResource, limitNotice, resourceNames } from './limit-notice.ts';
import {
  addToUse,
  countApiKeys,
  countEndedLeases,
  countMembers,
  countRows,
  lockUse,
  readUse,
  writeUse,
} from './queries.ts';

// What a plan limits in the tenant's own database is counted in `plan_use`, which every transaction that creates or
// removes changes as its very last row: nobody then waits for anything while holding it, and nobody waits long for it.

interface Taken {
  readonly resource: CountedResource;
  /** How many are made. */
  readonly count: number;
  /** How many the same transaction removed for them. */
  readonly freed?: number;
  readonly at: Timestamp;
  readonly requestId: string | null;
}

/**
 * Counts what a transaction has made, and tells the tenant when the plan's limit is near. Call it as the last thing of
 * the transaction. Throws 403 `PLAN.LIMIT_REACHED`, which takes everything back, when there are more than the plan
 * allows; what existed before stays, however much it is.
 */
export async function reserveQuota(
  tx: TenantTransaction,
  outbox: Outbox,
  { limits }: Pick<Tenant, 'limits'>,
  { resource, count, freed = 0, at, requestId }: Taken,
): Promise<void> {
  const grown = count - freed;
  const after = await addToUse(tx, resource, grown);
  const limit = limits[resource];
  if (limit === null) return;
  if (after > limit && !(await isForgiven(tx, resource, after - limit, at))) throw planLimitReached(resource, limit);
  const notice = limitNotice({ resource, before: after - grown, after, limit, at, requestId });
  if (notice !== null) await outbox.notify(notice);
}

/** The seats of leases that ran out are free at once, before they are closed and counted off. */
async function isForgiven(
  tx: TenantTransaction,
  resource: CountedResource,
  excess: number,
  at: Timestamp,
): Promise<boolean> {
  return resource === 'activations' && (await countEndedLeases(tx, at, excess)) >= excess;
}

/** Counts off what a transaction has removed. Call it as the last thing of the transaction. */
export async function releaseQuota(tx: TenantTransaction, resource: CountedResource, count: number): Promise<void> {
  if (count > 0) await addToUse(tx, resource, -count);
}

/** How many more the plan allows at this moment; null: any number. Only `reserveQuota` decides. */
export async function readQuota(
  db: Kysely<TenantTables>,
  { limits }: Pick<Tenant, 'limits'>,
  resource: Exclude<CountedResource, 'activations'>,
): Promise<number | null> {
  const limit = limits[resource];
  return limit === null ? null : Math.max(0, limit - (await readUse(db))[resource]);
}

/** The 403 of a creation that the plan does not allow. */
export function planLimitReached(resource: LimitedResource, limit: number): AppError {
  const message = `The plan allows ${limit} ${resourceNames[resource]} and no more. Remove some, or choose a larger plan.`;
  return new AppError('PLAN.LIMIT_REACHED', message);
}

/** How many a tenant has of what its plan limits. Keys and members are counted up to 100,000. */
export type PlanUse = Readonly<Record<LimitedResource, number>>;

const countedMost = 100_000;

/** Reads how much of its plan a tenant uses. Every number is read from an index or a counter. */
export async function readPlanUse(
  { clock, platform }: Pick<Services, 'clock' | 'platform'>,
  { id, db }: Pick<Tenant, 'id' | 'db'>,
): Promise<PlanUse> {
  const now = clock.now();
  const use = await readUse(db.query);
  return {
    ...use,
    activations: use.activations - (await countEndedLeases(db.query, now, use.activations)),
    api_keys: await countApiKeys(platform.query, id, now, countedMost),
    members: await countMembers(platform.query, id, now, countedMost),
  };
}

const countedResources = ['products', 'licenses', 'activations', 'webhooks'] as const satisfies (keyof PlanLimits)[];

/**
 * Counts everything anew and corrects the counters that are wrong, each in a transaction of its own. A counter that is
 * right costs reads alone. Answers those that were wrong.
 */
export async function recountUse(db: TenantDb): Promise<CountedResource[]> {
  const wrong: CountedResource[] = [];
  for (const resource of countedResources) {
    if ((await countRows(db.query, resource)) === (await readUse(db.query))[resource]) continue;
    if (await correct(db, resource)) wrong.push(resource);
  }
  return wrong;
}

/** Between two reads something may have been made: only what is wrong under the lock is wrong. */
function correct(db: TenantDb, resource: CountedResource): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockUse(tx, resource);
    const used = await countRows(tx, resource);
    if (used === (await readUse(tx))[resource]) return false;
    await writeUse(tx, resource, used);
    return true;
  });
}
