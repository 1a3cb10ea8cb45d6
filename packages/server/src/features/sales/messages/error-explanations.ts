import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const salesMessageErrors = {
  'SALES.SIGNATURE_INVALID': explain(
    'A message to the address of a connection is unsigned, too old, or its signature is wrong.',
    'Copy the signing secret of the shop into the connection, and check the clocks.',
  ),
} satisfies ErrorExplanations;
