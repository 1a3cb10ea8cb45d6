import { type ErrorExplanations, explain } from '../lib/error-explanation.ts';

export const tenancyErrors = {
  'TENANT.STATUS.SUSPENDED': explain(
    'The tenant is suspended.',
    'Ask an owner to pay the open invoice, or ask the operator of the service.',
  ),
  'TENANT.STATUS.CLOSED': explain('The tenant is closed.', 'Contact the operator of the service.'),
  'BILLING.TEST_TENANT': explain('A test tenant is free and cannot buy anything.', 'Use its live tenant.'),
  'TENANT.MOVING': explain(
    'The tenant moves to another database and accepts no changes meanwhile.',
    'Wait as long as `Retry-After` says, then send the request again.',
  ),
} satisfies ErrorExplanations;
