import { type SqlBool, sql } from 'kysely';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { CandidateQuery, Filter } from '../../../db/search/list-filter-plan.ts';
import type {
  ActivityCounts,
  ActivityPointsTable,
  VerdictPointsTable,
} from '../../../db/tables/platform/operations.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { BucketInterval } from './counters.ts';

/** The points of one interval that start at `first` or later and before `end`. */
export interface PointsBetween {
  readonly interval: BucketInterval;
  readonly first: Timestamp;
  readonly end: Timestamp;
}

/** Returns the points of a scope, unordered. A bucket without activity has no point. */
export function listPoints(
  platform: PlatformDb,
  scope: string,
  { interval, first, end }: PointsBetween,
): Promise<ActivityPointsTable[]> {
  return platform.query
    .selectFrom('activity_points')
    .selectAll()
    .where('scope', '=', scope)
    .where('interval', '=', interval)
    .where('bucket_start', '>=', first)
    .where('bucket_start', '<', end)
    .execute();
}

/** Returns all points of a scope, ordered by interval and start. */
export function listAllPoints(tx: PlatformTransaction, scope: string): Promise<ActivityPointsTable[]> {
  const points = tx.selectFrom('activity_points').selectAll().where('scope', '=', scope);
  return points.orderBy('interval').orderBy('bucket_start').execute();
}

/** Returns the points of one counter for several tenants, unordered. */
export async function listPointsOf(
  platform: PlatformDb,
  tenantIds: readonly string[],
  counter: keyof ActivityCounts,
  { interval, first, end }: PointsBetween,
): Promise<{ scope: string; bucket_start: Timestamp; count: number }[]> {
  if (tenantIds.length === 0) return [];
  return await platform.query
    .selectFrom('activity_points')
    .select(['scope', 'bucket_start', `${counter} as count`])
    .where('scope', 'in', tenantIds)
    .where('interval', '=', interval)
    .where('bucket_start', '>=', first)
    .where('bucket_start', '<', end)
    .execute();
}

/** Returns the validations of a tenant by verdict, ordered by the code within a bucket. */
export function listVerdictPoints(
  platform: PlatformDb,
  tenantId: string,
  { interval, first, end }: PointsBetween,
): Promise<VerdictPointsTable[]> {
  return platform.query
    .selectFrom('verdict_points')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('interval', '=', interval)
    .where('bucket_start', '>=', first)
    .where('bucket_start', '<', end)
    .orderBy('bucket_start')
    .orderBy('code')
    .execute();
}

/** Returns true if a tenant has validations with another verdict than `code`. */
export async function hasVerdictPoints(platform: PlatformDb, tenantId: string, code: string): Promise<boolean> {
  const point = platform.query
    .selectFrom('verdict_points')
    .select('code')
    .where('tenant_id', '=', tenantId)
    .where('interval', '=', 'day')
    .where('code', '!=', code)
    .limit(1);
  return (await point.executeTakeFirst()) !== undefined;
}

/** Returns true if a scope has at least one point. */
export async function hasPoints(platform: PlatformDb, scope: string): Promise<boolean> {
  const point = platform.query.selectFrom('activity_points').select('scope').where('scope', '=', scope).limit(1);
  return (await point.executeTakeFirst()) !== undefined;
}

/** The number of requests with one API key on one day. */
export interface KeyRequests {
  readonly tenant_id: string;
  readonly key_id: string;
  readonly requests: number;
}

/** Returns the `limit` most used keys of each tenant on a day, with one statement. */
export async function listTopKeys(
  platform: PlatformDb,
  tenantIds: readonly string[],
  day: string,
  limit: number,
): Promise<KeyRequests[]> {
  const [first, ...others] = tenantIds.map((tenantId) => {
    const top = platform.query
      .selectFrom('api_key_requests')
      .select(['tenant_id', 'key_id', 'requests'])
      .where('day', '=', day)
      .where('tenant_id', '=', tenantId)
      .orderBy('requests', 'desc')
      .orderBy('key_id', 'desc')
      .limit(limit);
    return platform.query.selectFrom(top.as('top')).selectAll();
  });
  if (first === undefined) return [];
  return await others.reduce((all, one) => all.unionAll(one), first).execute();
}

/** Returns a filter of the list of tenants: tenants with a rate-limited request at `since` or later. */
export function rejectedFilter(platform: PlatformDb, since: Timestamp): Filter {
  const candidates: CandidateQuery = (limit) =>
    platform.query
      .selectFrom('rate_limited_tenants')
      .select(['tenant_created_at as created_at', 'tenant_id as id'])
      .where('last_rejected_at', '>=', since)
      .orderBy('last_rejected_at', 'desc')
      .limit(limit);
  const condition = sql<SqlBool>`exists (
    select 1 from rate_limited_tenants where tenant_id = tenants.id and last_rejected_at >= ${since})`;
  return { condition, candidates };
}
