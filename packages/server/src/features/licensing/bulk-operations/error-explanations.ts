import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const bulkOperationErrors = {
  'BULK_OPERATION.TRANSITION_INVALID': explain(
    'The operation is still running, has ended, or was undone before.',
    'Read the operation. Cancel one that runs, and undo one that has ended.',
  ),
} satisfies ErrorExplanations;
