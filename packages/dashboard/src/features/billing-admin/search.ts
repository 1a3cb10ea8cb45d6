import { oneOf, searchOf, text } from '../../lib/search.ts';

/** The parts of the billing administration. The last two appear when they have content, and move no other part. */
export const billingTabs = ['revenue', 'events', 'authorization-log', 'orphans', 'sandbox'] as const;

/** The state of the billing administration: the tab, its filters, and the form that is open. */
export const billingAdminSearch = searchOf({
  tab: oneOf(billingTabs),
  panel: oneOf(['credit']),
  tenant_id: text,
  type: text,
  provider_subscription_id: text,
  allowed: oneOf(['yes', 'no']),
  cursor: text,
});

/** The page of the overdue subscriptions. */
export const dunningSearch = searchOf({ cursor: text });
