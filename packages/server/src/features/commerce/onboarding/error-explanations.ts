import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const onboardingErrors = {
  'ONBOARDING.NO_PROVIDER': explain(
    'The service has no payment provider, so the plan cannot be bought.',
    'Ask the operator to set `PAYMENT_PROVIDER`, or choose a free plan.',
  ),
  'ONBOARDING.TOO_MANY_OPEN': explain('The user has five open checkouts.', 'Pay or cancel a checkout first.'),
  'ONBOARDING.TOO_MANY_FREE': explain(
    'The user owns as many tenants on free plans as the operator permits (`FREE_TENANTS_PER_USER`).',
    'Choose a plan with a price, or change the plan of one of these tenants first.',
  ),
  'ONBOARDING.TRANSITION_INVALID': explain(
    'The status of the checkout does not permit this action.',
    'Read the checkout, and start a new one if it is over.',
  ),
} satisfies ErrorExplanations;
