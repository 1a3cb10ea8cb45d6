import { queryOptions } from '@tanstack/react-query';
import { dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { onUser } from './endpoints.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

/** A plan that can be bought. */
export type PublicPlan = components['schemas']['PublicPlan'];
/** The purchase of a plan with a new tenant. */
export type Checkout = components['schemas']['Checkout'];
type CheckoutStatus = components['schemas']['CheckoutStatus'];
export type BillingInterval = components['schemas']['BillingInterval'];

/** Sign-up needs no tenant. */
const person = { area: 'tenant', tenantId: null } as const;
const checkoutsKey = keyOf(person, 'onboarding');
const pendingPollMs = 2_500;
const provisioningPollMs = 800;

/** Reads the plans that can be bought, the free one first. */
export const plansQuery = onUser.one('/api/v1/plans', ['plans'], { staleTime: 60_000 })();

/** Reads the plans that can be bought, with the trials that the person gets. */
export const ownPlansQuery = onUser.one('/api/v1/onboarding/plans', ['onboarding', 'plans'])();

/** The statuses of a checkout that is not over. */
const openStatuses = ['provisioning', 'paid', 'pending'] as const;

/** Reads the person's checkouts that are not over; a person has five at most. */
export const openCheckoutsQuery = queryOptions({
  queryKey: [...checkoutsKey, 'open'],
  queryFn: async () => {
    const read = (status: CheckoutStatus) =>
      dataOf(apiOf(person).GET('/api/v1/onboarding', { params: { query: { status } } }));
    return (await Promise.all(openStatuses.map(read))).flat();
  },
  refetchInterval: 10_000,
});

/** Returns true while the service still works on a checkout. */
function isRunning(status: CheckoutStatus): boolean {
  return openStatuses.some((one) => one === status);
}

/**
 * Reads a checkout until it is over. While it waits for the payment, the service asks the provider each time, because the
 * provider's event may be late or lost.
 */
export function checkoutQuery(id: string) {
  const params = { params: { path: { id } } };
  return queryOptions({
    queryKey: [...checkoutsKey, id],
    queryFn: async () => {
      const checkout = await dataOf(apiOf(person).GET('/api/v1/onboarding/{id}', params));
      if (checkout.status !== 'pending') return checkout;
      return await dataOf(apiOf(person).POST('/api/v1/onboarding/{id}/complete', params));
    },
    refetchInterval: ({ state: { data } }) => {
      if (data === undefined || !isRunning(data.status)) return false;
      return data.status === 'pending' ? pendingPollMs : provisioningPollMs;
    },
    staleTime: 0,
  });
}

/** Starts the checkout of a plan. */
export const startCheckout = onUser.POST('/api/v1/onboarding/checkout');

/** Cancels an unpaid checkout, so that nobody can pay it. */
export const cancelCheckout = onUser.POST('/api/v1/onboarding/{id}/cancel');

/** What the actions on checkouts change. */
export const checkoutKeys = [checkoutsKey] as const;
