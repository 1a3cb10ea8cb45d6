import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const userErrors = {
  'USER.DISABLED': explain('The user is disabled.', 'Enable the user first.'),
  'USER.BEING_ERASED': explain(
    'The personal data of the user is being erased, which cannot be undone.',
    'Ask the person to register again.',
  ),
} satisfies ErrorExplanations;
