import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const customerErrors = {
  'CUSTOMER.NOT_FOUND': explain(
    'No license has this email address.',
    'Check the address, or search the list of customers.',
  ),
  'CUSTOMER_NOTE.NOT_FOUND': explain(
    'The note about the customer does not exist.',
    'List the notes of the customer to see which ones do.',
  ),
} satisfies ErrorExplanations;
