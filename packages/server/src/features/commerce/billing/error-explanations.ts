import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const billingErrors = {
  'BILLING.PAYMENT_FAILED': explain(
    'The payment of a plan change was declined; nothing has changed.',
    'Use another payment method, then repeat the change.',
  ),
  'BILLING.MANAGED_BY_SUBSCRIPTION': explain(
    'A subscription determines the plan of the tenant.',
    'Change the plan of the subscription, or cancel it first.',
  ),
  'BILLING.NO_PROVIDER': explain(
    'The service has no payment provider, so nothing can be bought.',
    'Ask the operator to set `PAYMENT_PROVIDER`.',
  ),
  'BILLING.NO_SUBSCRIPTION': explain('The tenant has no subscription.', 'Choose a plan first.'),
  'BILLING.REFUSED': explain(
    'The payment provider, or the state of the subscription, does not permit the change.',
    'Follow the message; often an open invoice must be paid first.',
  ),
  'BILLING.REFERENCE_REUSED': explain('Another credit of the tenant has this reference.', 'Choose another reference.'),
} satisfies ErrorExplanations;
