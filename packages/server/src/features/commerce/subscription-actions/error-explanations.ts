import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const subscriptionErrors = {
  'SUBSCRIPTION.TRANSITION_INVALID': explain(
    'The state of the subscription does not permit the action.',
    'Read the subscription to see its state.',
  ),
} satisfies ErrorExplanations;
