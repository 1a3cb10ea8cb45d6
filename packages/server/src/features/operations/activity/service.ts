import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { Filter } from '../../../db/search/list-filter-plan.ts';
import type { ActivityCounts, ActivityPointsTable } from '../../../db/tables/platform/operations.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../../../lib/clock.ts';
import { validationError } from '../../../lib/error.ts';
import type { ClockServices, Services } from '../../../services.ts';
import { activityCounters, type BucketInterval, bucketMs, dayAt, noActivity } from './counters.ts';
import {
  hasVerdictPoints,
  type KeyRequests,
  listAllPoints,
  listPoints,
  listPointsOf,
  listTopKeys,
  listVerdictPoints,
  type PointsBetween,
  rejectedFilter,
} from './queries.ts';
import type { SeriesQuery } from './schemas.ts';
import {
  addActivity,
  addKeyRequests,
  addPoints,
  type GatheredActivity,
  type GatheredKeyRequests,
  platformScope,
} from './write-queries.ts';

export { hasPoints } from './queries.ts';

/**
 * The maximum number of buckets in a range, which bounds the work and the response: 3 years of days, 45 days of hours.
 */
const pointsMax = 1100;
const defaultMs: Readonly<Record<BucketInterval, number>> = { hour: bucketMs.day, day: 30 * bucketMs.day };
const topKeysMax = 10;

/** A range of whole buckets. The last bucket may end after `toMs`. */
export interface ActivityRange {
  readonly interval: BucketInterval;
  /** The start of the first bucket, in milliseconds since the epoch. */
  readonly firstMs: number;
  readonly toMs: number;
}

/**
 * Returns the range from the bucket that contains `from` to the last bucket that starts before `to`. The default of
 * `to` is now; the default of `from` is 24 hours (for hours) or 30 days (for days) before it. Throws 422 if `from` is
 * not before `to`, or for more than 1,100 buckets.
 */
export function rangeOf({ clock }: ClockServices, query: SeriesQuery): ActivityRange {
  const { interval = 'day' } = query;
  const toMs = query.to === undefined ? clock.nowMs() : toEpochMs(toStoredTimestamp(query.to));
  const fromMs =
    query.from === undefined ? Math.max(toMs - defaultMs[interval], 0) : toEpochMs(toStoredTimestamp(query.from));
  if (fromMs >= toMs) throw validationError({ field: 'from', message: 'Choose a start before the end.' });
  const firstMs = fromMs - (fromMs % bucketMs[interval]);
  if ((toMs - firstMs) / bucketMs[interval] > pointsMax) {
    throw validationError({
      field: 'from',
      message: `Choose a start at most ${pointsMax} ${interval}s before the end.`,
    });
  }
  return { interval, firstMs, toMs };
}

/** Returns the range of the last 24 hourly buckets, including the current one. */
export function lastHours({ clock }: ClockServices): ActivityRange {
  const toMs = clock.nowMs() + 1;
  return { interval: 'hour', firstMs: toMs - 1 - ((toMs - 1) % bucketMs.hour) - 23 * bucketMs.hour, toMs };
}

/** Returns the start of each bucket of a range. */
function startsOf({ interval, firstMs, toMs }: ActivityRange): Timestamp[] {
  const starts: Timestamp[] = [];
  for (let atMs = firstMs; atMs < toMs; atMs += bucketMs[interval]) starts.push(toTimestamp(atMs));
  return starts;
}

function between({ interval, firstMs, toMs }: ActivityRange): PointsBetween {
  return { interval, first: toTimestamp(firstMs), end: toTimestamp(toMs) };
}

/** The counts of one bucket. */
export interface ActivityPoint extends ActivityCounts {
  readonly bucket_start: Timestamp;
}

/** Returns the activity of a tenant, or of all tenants together (null), for every bucket of a range. */
export async function readActivity(
  services: Services,
  tenantId: string | null,
  range: ActivityRange,
): Promise<ActivityPoint[]> {
  await services.activity.flush();
  const points = await listPoints(services.platform, tenantId ?? platformScope, between(range));
  const byStart = new Map(
    points.map(({ scope: _scope, interval: _interval, ...point }) => [point.bucket_start, point]),
  );
  return startsOf(range).map((bucket_start) => ({ ...noActivity(), ...byStart.get(bucket_start), bucket_start }));
}

/** The validations of a tenant in one bucket. */
export interface ValidationPoint {
  readonly bucket_start: Timestamp;
  /** All validations, including validations from before verdict codes were counted. */
  readonly total: number;
  /** The validations by the code of their verdict. */
  readonly by_code: Record<string, number>;
}

/** Returns the validations of a tenant by the code of their verdict, for every bucket of a range. */
export async function readValidations(
  services: Services,
  tenantId: string,
  range: ActivityRange,
): Promise<ValidationPoint[]> {
  const points = await readActivity(services, tenantId, range);
  const verdicts = await listVerdictPoints(services.platform, tenantId, between(range));
  const byStart = Map.groupBy(verdicts, ({ bucket_start }) => bucket_start);
  return points.map(({ bucket_start, validations: total }) => {
    const counted = byStart.get(bucket_start) ?? [];
    return { bucket_start, total, by_code: Object.fromEntries(counted.map((one) => [one.code, one.validations])) };
  });
}

/** Returns true if a license of the tenant was ever validated, with any verdict. A validation of an unknown key does not count. */
export async function hasVerdicts({ activity, platform }: Services, tenantId: string): Promise<boolean> {
  await activity.flush();
  return await hasVerdictPoints(platform, tenantId, 'LICENSE.NOT_FOUND');
}

interface CountPoint {
  readonly bucket_start: Timestamp;
  readonly count: number;
}

/** Returns the number of requests that the rate limit of each tenant refused, for every bucket of a range. */
export async function readRejections(
  services: Services,
  tenantIds: readonly string[],
  range: ActivityRange,
): Promise<ReadonlyMap<string, readonly CountPoint[]>> {
  await services.activity.flush();
  const points = await listPointsOf(services.platform, tenantIds, 'rate_limit_rejections', between(range));
  const counts = new Map(points.map(({ scope, bucket_start, count }) => [`${scope} ${bucket_start}`, count]));
  const starts = startsOf(range);
  return new Map(
    tenantIds.map((id) => [
      id,
      starts.map((bucket_start) => ({ bucket_start, count: counts.get(`${id} ${bucket_start}`) ?? 0 })),
    ]),
  );
}

/** Returns the ten most used keys of each tenant today (UTC), the most used first. */
export function readTopKeys({ clock, platform }: Services, tenantIds: readonly string[]): Promise<KeyRequests[]> {
  return listTopKeys(platform, tenantIds, dayAt(clock.nowMs()), topKeysMax);
}

/** Returns a filter of the list of tenants: tenants with a rate-limited request in the last 24 hours. */
export function recentlyRejected({ clock, platform }: Services): Filter {
  return rejectedFilter(platform, toTimestamp(clock.nowMs() - bucketMs.day));
}

/** Adds activity of the past to the figures of its tenants and of the platform. */
export async function createPastActivity(
  platform: PlatformDb,
  activity: readonly GatheredActivity[],
  keyRequests: readonly GatheredKeyRequests[],
): Promise<void> {
  await addActivity(platform, activity);
  await addKeyRequests(platform, keyRequests);
}

/**
 * Subtracts all activity of a tenant from the figures of the tenant and of the platform, in the caller's transaction.
 * Idempotent, because the tenant's own figures are zero afterwards.
 */
export async function subtractActivity(tx: PlatformTransaction, tenantId: string): Promise<void> {
  const points = (await listAllPoints(tx, tenantId)).map(negated);
  const ofPlatform = points.map((point) => ({ ...point, scope: platformScope }));
  if (points.length > 0) await addPoints(tx, [...points, ...ofPlatform]);
}

function negated(point: ActivityPointsTable): ActivityPointsTable {
  const changed = { ...point };
  for (const counter of activityCounters) changed[counter] = -point[counter];
  return changed;
}
