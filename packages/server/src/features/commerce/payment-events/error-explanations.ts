import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const paymentEventErrors = {
  'PAYMENT.EVENT_REJECTED': explain(
    'An event of the payment provider is unsigned, too old or malformed, or its signature is wrong.',
    'Check the signing secret and the clocks of both sides.',
  ),
} satisfies ErrorExplanations;
