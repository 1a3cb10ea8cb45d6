import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { ActivityPointsTable, VerdictPointsTable } from '../../../db/tables/platform/activity.ts';
import { type Timestamp, toTimestamp } from '../../../lib/clock.ts';
import { bucketAt } from './buckets.ts';
import { activityCounters, addCounts } from './counters.ts';
import { listPointsBefore, listVerdictPointsBefore } from './queries.ts';
import {
  addActivity,
  addKeyRequests,
  addPoints,
  addVerdictPoints,
  type GatheredActivity,
  type GatheredKeyRequests,
  platformScope,
} from './write-queries.ts';

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
 * Subtracts a tenant's activity before an hour from the figures of the tenant and of the platform, in the caller's
 * transaction. The day that contains the hour loses what its earlier hours counted.
 */
export async function subtractPastActivity(tx: PlatformTransaction, tenantId: string, hourMs: number): Promise<void> {
  const before = toTimestamp(hourMs);
  const today = bucketAt('day', hourMs);
  const points = pastOf(await listPointsBefore(tx, tenantId, before), today).map(negated);
  const ofPlatform = points.map((point) => ({ ...point, scope: platformScope }));
  const sums = [...mergedPoints([...points, ...ofPlatform])];
  if (sums.length > 0) await addPoints(tx, sums);
  const verdicts = pastOf(await listVerdictPointsBefore(tx, tenantId, before), today);
  const negative = verdicts.map((point) => ({ ...point, validations: -point.validations }));
  if (negative.length > 0) await addVerdictPoints(tx, mergedVerdicts(negative));
}

/** Returns the points of hours and of whole days; the hours of the current day also as points of the day. */
function pastOf<Point extends { readonly interval: 'hour' | 'day'; readonly bucket_start: Timestamp }>(
  points: readonly Point[],
  today: Timestamp,
): Point[] {
  return points.flatMap((point) => {
    if (point.interval === 'day') return point.bucket_start < today ? [point] : [];
    return point.bucket_start < today ? [point] : [point, { ...point, interval: 'day', bucket_start: today }];
  });
}

function negated(point: ActivityPointsTable): ActivityPointsTable {
  const changed = { ...point };
  for (const counter of activityCounters) changed[counter] = -point[counter];
  return changed;
}

/** Returns one point per key, sorted by key. */
function mergedPoints(points: readonly ActivityPointsTable[]): ActivityPointsTable[] {
  const sums = new Map<string, ActivityPointsTable>();
  for (const point of points) {
    const key = `${point.scope} ${point.interval} ${point.bucket_start}`;
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { ...point });
    else addCounts(sum, point);
  }
  return sorted(sums);
}

function mergedVerdicts(points: readonly VerdictPointsTable[]): VerdictPointsTable[] {
  const sums = new Map<string, VerdictPointsTable>();
  for (const point of points) {
    const key = `${point.interval} ${point.bucket_start} ${point.code}`;
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { ...point });
    else sum.validations += point.validations;
  }
  return sorted(sums);
}

function sorted<Point>(sums: ReadonlyMap<string, Point>): Point[] {
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, point]) => point);
}
