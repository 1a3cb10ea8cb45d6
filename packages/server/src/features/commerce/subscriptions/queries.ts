import type { PlatformDb } from '../../../db/database.ts';
import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import { paginate } from '../../../http/cursor.ts';
import type { SubscriptionsQuery } from './schemas.ts';

/** Returns one page of the subscriptions, with one row more than the page when there are more. */
export function listSubscriptions({ query }: PlatformDb, filters: SubscriptionsQuery): Promise<SubscriptionsTable[]> {
  let subscriptions = query.selectFrom('subscriptions').selectAll();
  for (const column of ['tenant_id', 'status', 'plan_code'] as const) {
    const value = filters[column];
    if (value !== undefined) subscriptions = subscriptions.where(column, '=', value);
  }
  return paginate(subscriptions, filters).execute();
}

/** Returns a subscription by its id. */
export function findSubscription({ query }: PlatformDb, id: string): Promise<SubscriptionsTable | undefined> {
  return query.selectFrom('subscriptions').selectAll().where('id', '=', id).executeTakeFirst();
}
