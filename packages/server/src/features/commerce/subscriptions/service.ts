import type { PlatformDb } from '../../../db/database.ts';
import { paginate } from '../../../http/cursor.ts';
import { AppError } from '../../../lib/error.ts';
import type { SubscriptionsQuery } from './schemas.ts';
import type { NamedSubscription } from './subscription.ts';

/** Returns a subscription with the name of its tenant. Throws 404 `RESOURCE.NOT_FOUND`. */
export async function requireSubscription(platform: PlatformDb, id: string): Promise<NamedSubscription> {
  const row = await findSubscription(platform, id);
  if (row !== undefined) return row;
  throw new AppError('RESOURCE.NOT_FOUND', 'No subscription has this id. List the subscriptions to find the id.');
}

/** Selects subscriptions with the names of their tenants. */
function selectNamed({ query }: PlatformDb) {
  return query
    .selectFrom('subscriptions')
    .selectAll('subscriptions')
    .select((eb) =>
      eb
        .selectFrom('tenants')
        .select('name')
        .whereRef('tenants.id', '=', 'subscriptions.tenant_id')
        .$asScalar()
        .$notNull()
        .as('tenant_name'),
    );
}

/** Returns one page of the subscriptions, with one row more than the page when there are more. */
export function listSubscriptions(platform: PlatformDb, filters: SubscriptionsQuery): Promise<NamedSubscription[]> {
  let subscriptions = selectNamed(platform);
  for (const column of ['tenant_id', 'status', 'plan_code'] as const) {
    const value = filters[column];
    if (value !== undefined) subscriptions = subscriptions.where(column, '=', value);
  }
  return paginate(subscriptions, filters).execute();
}

/** Returns a subscription by its id. */
function findSubscription(platform: PlatformDb, id: string): Promise<NamedSubscription | undefined> {
  return selectNamed(platform).where('id', '=', id).executeTakeFirst();
}
