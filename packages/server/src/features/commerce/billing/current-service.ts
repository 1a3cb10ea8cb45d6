import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import { AppError } from '../../../lib/error.ts';
import { callProvider } from '../../../payments/call-provider.ts';
import type { Change } from './change-service.ts';
import { findCurrentSubscription } from './queries.ts';
import { type Cause, syncSubscription } from './sync-service.ts';

/**
 * Syncs and returns the subscription that gives a tenant its plan; undefined without one. Decisions about money need
 * the provider's present state, because the event that reports the last change may not have arrived yet.
 */
export async function readCurrent({ services, payments, tenant }: Change): Promise<SubscriptionsTable | undefined> {
  const known = await findCurrentSubscription(services.platform.query, tenant.id);
  if (known === undefined) return undefined;
  await callProvider(() => syncSubscription(services, payments, known.provider_subscription_id));
  return await findCurrentSubscription(services.platform.query, tenant.id);
}

/** Like `readCurrent`, but throws 409 `BILLING.NO_SUBSCRIPTION` when the tenant has no subscription. */
export async function requireCurrent(change: Change): Promise<SubscriptionsTable> {
  const current = await readCurrent(change);
  if (current !== undefined) return current;
  throw new AppError(
    'BILLING.NO_SUBSCRIPTION',
    'This tenant has no subscription. Choose a plan with PUT /api/v1/billing/plan first.',
  );
}

/**
 * Syncs a subscription after a change at the provider, and audits the actor of the change. Returns the current
 * subscription.
 */
export async function syncChange(
  { services, payments, tenant, actor }: Change,
  { provider_subscription_id }: SubscriptionsTable,
  entry: Cause['entry'],
): Promise<SubscriptionsTable | undefined> {
  await callProvider(() => syncSubscription(services, payments, provider_subscription_id, { actor, entry }));
  return await findCurrentSubscription(services.platform.query, tenant.id);
}
