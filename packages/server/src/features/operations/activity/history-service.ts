import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { ActivityPointsTable } from '../../../db/tables/platform/activity.ts';
import { toTimestamp } from '../../../lib/clock.ts';
import { bucketAt, bucketMs } from './buckets.ts';
import { activityCounters, addCounts, noActivity } from './counters.ts';
import { listPointsBefore } from './queries.ts';
import {
  addActivity,
  addKeyRequests,
  addPoints,
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
  const today = bucketAt('day', hourMs);
  const points = await listPointsBefore(tx, tenantId, toTimestamp(hourMs));
  const early: ActivityPointsTable = {
    scope: tenantId,
    interval: 'day',
    bucket_start: today,
    ...noActivity(),
  };
  for (const point of points) if (point.interval === 'hour' && point.bucket_start >= today) addCounts(early, point);
  const past = points.filter(({ interval, bucket_start }) => interval === 'hour' || bucket_start < today);
  const negative = [...past, ...(hourMs % bucketMs.day === 0 ? [] : [early])].map(negated);
  const ofPlatform = negative.map((point) => ({ ...point, scope: platformScope }));
  await addPoints(tx, [...negative, ...ofPlatform].sort(byKey));
}

function negated(point: ActivityPointsTable): ActivityPointsTable {
  const changed = { ...point };
  for (const counter of activityCounters) changed[counter] = -point[counter];
  return changed;
}

const keyOf = ({ scope, interval, bucket_start }: ActivityPointsTable) => `${scope} ${interval} ${bucket_start}`;
const byKey = (one: ActivityPointsTable, other: ActivityPointsTable) => (keyOf(one) < keyOf(other) ? -1 : 1);
