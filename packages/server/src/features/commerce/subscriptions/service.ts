import type { PlatformDb } from '../../../db/database.ts';
import { AppError } from '../../../lib/error.ts';
import { findSubscription } from './queries.ts';
import type { NamedSubscription } from './subscription.ts';

/** Returns a subscription with the name of its tenant. Throws 404 `RESOURCE.NOT_FOUND`. */
export async function requireSubscription(platform: PlatformDb, id: string): Promise<NamedSubscription> {
  const row = await findSubscription(platform, id);
  if (row !== undefined) return row;
  throw new AppError('RESOURCE.NOT_FOUND', 'No subscription has this id. List the subscriptions to find the id.');
}
