import { dataOf } from './body.ts';
import type { AdminSubscription } from './commerce.ts';
import { platformApi } from './platform.ts';
import type { components } from './schema.gen.ts';

type Schemas = components['schemas'];
type Answer = Promise<AdminSubscription>;

const pathOf = (id: string) => ({ params: { path: { id } } });

/** Ends a subscription now, or with its period. */
export function cancelSubscription(id: string, body: Schemas['CancelSubscription']): Answer {
  return dataOf(platformApi().POST('/api/v1/admin/subscriptions/{id}/cancel', { ...pathOf(id), body }));
}

/** Takes back the end of a subscription that has not ended yet. */
export function resumeSubscription(id: string): Answer {
  return dataOf(platformApi().POST('/api/v1/admin/subscriptions/{id}/resume', pathOf(id)));
}

/** Changes the plan of a subscription at once. */
export function changeSubscriptionPlan(id: string, body: Schemas['ChangeSubscriptionPlan']): Answer {
  return dataOf(platformApi().POST('/api/v1/admin/subscriptions/{id}/change-plan', { ...pathOf(id), body }));
}

/** Moves the end of a running trial. */
export function extendTrial(id: string, body: Schemas['ExtendTrial']): Answer {
  return dataOf(platformApi().POST('/api/v1/admin/subscriptions/{id}/extend-trial', { ...pathOf(id), body }));
}

/** Redeems a coupon for a subscription, in place of its present discount. */
export function applyCoupon(id: string, body: Schemas['ApplyCoupon']): Answer {
  return dataOf(platformApi().POST('/api/v1/admin/subscriptions/{id}/apply-coupon', { ...pathOf(id), body }));
}
