import { oneOf, searchOf, text } from '../../lib/search.ts';

/** The statuses of an invoice. */
export const invoiceStatuses = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const;

/** The state of the billing page: an open panel, the plan that is previewed, the page of invoices, and the return from a payment. */
export const billingSearch = searchOf({
  panel: oneOf(['plan', 'details']),
  plan: text,
  interval: oneOf(['month', 'year']),
  currency: text,
  checkout: oneOf(['complete', 'canceled']),
  status: oneOf(invoiceStatuses),
  cursor: text,
});
