import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import { AppError } from '../../../lib/error.ts';
import { askProvider, requirePayments } from '../../../payments/ask-provider.ts';
import type { PaymentProvider } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { findCurrentSubscription } from './sync-queries.ts';
import { type Cause, syncSubscription } from './sync-service.ts';

export type BillingServices = Services;

/** Who changes what a tenant pays, and with what. */
export interface Change {
  readonly services: BillingServices;
  readonly payments: PaymentProvider;
  readonly tenant: Tenant;
  readonly actor: Actor;
}

/** Begins a change. Throws 409 `BILLING.NO_PROVIDER`. */
export function beginChange(services: BillingServices, tenant: Tenant, actor: Actor): Change {
  return { services, payments: requirePayments(services), tenant, actor };
}

/**
 * The subscription that gives a tenant its plan, read at the provider a moment ago: what is decided about money is not
 * decided on a copy that an event has yet to renew. Undefined when there is none.
 */
export async function readCurrent({ services, payments, tenant }: Change): Promise<SubscriptionsTable | undefined> {
  const copy = await findCurrentSubscription(services.platform.query, tenant.id);
  if (copy === undefined) return undefined;
  await askProvider(() => syncSubscription(services, payments, copy.provider_subscription_id));
  return await findCurrentSubscription(services.platform.query, tenant.id);
}

/** As `readCurrent`. Throws 409 `BILLING.NO_SUBSCRIPTION` when there is none. */
export async function requireCurrent(change: Change): Promise<SubscriptionsTable> {
  const current = await readCurrent(change);
  if (current !== undefined) return current;
  throw new AppError('BILLING.NO_SUBSCRIPTION', 'There is no subscription. Choose a plan with PUT plan first.');
}

/** Copies what was changed at the provider, and says who did it. Answers the subscription as it is now. */
export async function copyChange(
  { services, payments, tenant, actor }: Change,
  { provider_subscription_id }: SubscriptionsTable,
  entry: Cause['entry'],
): Promise<SubscriptionsTable | undefined> {
  await askProvider(() => syncSubscription(services, payments, provider_subscription_id, { actor, entry }));
  return await findCurrentSubscription(services.platform.query, tenant.id);
}
