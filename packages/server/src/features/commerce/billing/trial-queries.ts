import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';

type Reader = PlatformDb['query'] | PlatformTransaction;

/** Returns whether a tenant has or has had a subscription. */
export async function hasSubscribed(db: Reader, tenantId: string): Promise<boolean> {
  const subscriptions = db.selectFrom('subscriptions').select('id').where('tenant_id', '=', tenantId);
  return (await subscriptions.limit(1).executeTakeFirst()) !== undefined;
}

/** Returns whether a tenant that a user owns is or was in a trial. */
export async function hasOwnedTrial(db: Reader, userId: string): Promise<boolean> {
  const trials = db
    .selectFrom('memberships')
    .innerJoin('subscriptions', 'subscriptions.tenant_id', 'memberships.tenant_id')
    .select('subscriptions.id')
    .where('memberships.user_id', '=', userId)
    .where('memberships.role', '=', 'owner')
    .where('subscriptions.trial_ends_at', 'is not', null);
  return (await trials.limit(1).executeTakeFirst()) !== undefined;
}
