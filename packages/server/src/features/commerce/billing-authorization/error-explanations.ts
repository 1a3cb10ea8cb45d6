import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const billingAuthorizationErrors = {
  'BILLING.ROLE_REQUIRED': explain(
    "The admin's role does not permit this billing request.",
    'Ask a super_admin for the role that the message names.',
  ),
} satisfies ErrorExplanations;
