import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { ActivityPointsTable } from '../../../db/tables/platform/operations.ts';
import { activityCounters } from './counters.ts';
import { listAllPoints } from './queries.ts';
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
