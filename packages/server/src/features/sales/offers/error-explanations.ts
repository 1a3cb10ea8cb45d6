import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const offerErrors = {
  'SALES.OFFER_TAKEN': explain(
    'The connection has another offer for this item of the shop.',
    'Change the other offer, or choose another item.',
  ),
} satisfies ErrorExplanations;
