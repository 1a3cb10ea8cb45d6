import { sql } from 'kysely';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';

type Provider = SubscriptionsTable['provider'];
type Due = Pick<SubscriptionsTable, 'id' | 'provider' | 'provider_subscription_id'>;

/** Returns the subscriptions with a check due at `now` (by the provider's clock), the longest due first. */
export function listDueChecks({ query }: PlatformDb, now: Timestamp, limit: number): Promise<Due[]> {
  return query
    .selectFrom('subscriptions')
    .select(['id', 'provider', 'provider_subscription_id'])
    .where('next_check_at', 'is not', null)
    .where('next_check_at', '<=', now)
    .orderBy('next_check_at')
    .limit(limit)
    .execute();
}

/** Returns the earliest time of a next check, by the provider's clock; null without a check. */
export async function findNextCheck({ query }: PlatformDb): Promise<Timestamp | null> {
  const next = query
    .selectFrom('subscriptions')
    .select('next_check_at')
    .where('next_check_at', 'is not', null)
    .orderBy('next_check_at')
    .limit(1);
  return (await next.executeTakeFirst())?.next_check_at ?? null;
}

/** Sets the next check of subscriptions. A concurrent sync replaces it by the right time. */
export async function postponeChecks(
  tx: PlatformTransaction,
  ids: readonly string[],
  nextCheckAt: Timestamp,
): Promise<void> {
  if (ids.length === 0) return;
  await tx.updateTable('subscriptions').set({ next_check_at: nextCheckAt }).where('id', 'in', ids).execute();
}

/** Returns the subscriptions that have not ended and were last synced before the given time, the oldest sync first. */
export function listStale({ query }: PlatformDb, provider: Provider, before: Timestamp, limit: number): Promise<Due[]> {
  return (
    query
      .selectFrom('subscriptions')
      .select(['id', 'provider', 'provider_subscription_id'])
      .where('next_check_at', 'is not', null)
      // The expression keeps SQLite from using the index on the provider's ids, which would read and sort all its rows.
      .where(sql<Provider>`provider || ''`, '=', provider)
      .where('synced_at', '<', before)
      .orderBy('synced_at')
      .limit(limit)
      .execute()
  );
}
