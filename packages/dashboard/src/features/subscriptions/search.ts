import { oneOf, searchOf, text } from '../../lib/search.ts';

/** The statuses of a subscription. */
export const subscriptionStatuses = [
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'paused',
  'canceled',
  'incomplete',
  'incomplete_expired',
] as const;

/** The filters of the platform's subscriptions. */
export const subscriptionSearch = searchOf({
  status: oneOf(subscriptionStatuses),
  plan_code: text,
  tenant_id: text,
  cursor: text,
});
