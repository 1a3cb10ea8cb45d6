import { sql } from 'kysely';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';

type Provider = SubscriptionsTable['provider'];
type Due = Pick<SubscriptionsTable, 'id' | 'provider' | 'provider_subscription_id'>;

/** Subscriptions that are to be read again at a moment of the provider's clock, the longest due first. */
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

/** The earliest moment, by the provider's clock, at which a subscription is to be read again. */
export async function findNextCheck({ query }: PlatformDb): Promise<Timestamp | null> {
  const next = query
    .selectFrom('subscriptions')
    .select('next_check_at')
    .where('next_check_at', 'is not', null)
    .orderBy('next_check_at')
    .limit(1);
  return (await next.executeTakeFirst())?.next_check_at ?? null;
}

/** Puts the next look at a subscription off; what is read of it meanwhile says better. */
export async function postponeChecks(
  tx: PlatformTransaction,
  ids: readonly string[],
  nextCheckAt: Timestamp,
): Promise<void> {
  if (ids.length === 0) return;
  await tx.updateTable('subscriptions').set({ next_check_at: nextCheckAt }).where('id', 'in', ids).execute();
}

/** The subscriptions that have not ended and were read before a moment, those first that were not for the longest. */
export function listStale({ query }: PlatformDb, provider: Provider, before: Timestamp, limit: number): Promise<Due[]> {
  return (
    query
      .selectFrom('subscriptions')
      .select(['id', 'provider', 'provider_subscription_id'])
      .where('next_check_at', 'is not', null)
      // Not the column itself: SQLite would read all of the provider's by the index of its ids, and sort them.
      .where(sql<Provider>`provider || ''`, '=', provider)
      .where('synced_at', '<', before)
      .orderBy('synced_at')
      .limit(limit)
      .execute()
  );
}
