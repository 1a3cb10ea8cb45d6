import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const comparisonErrors = {
  'SALES.COMPARISON_RUNNING': explain('A comparison of this connection is running.', 'Wait until it has ended.'),
} satisfies ErrorExplanations;
