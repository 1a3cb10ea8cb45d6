import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const featureFlagErrors = {
  'FEATURE_FLAG.CONTEXT_INVALID': explain(
    'The context of a feature flag evaluation is not valid.',
    'Send `context` as an object of at most 16 KiB and 500 fields.',
  ),
  'FEATURE_FLAG.NOT_FOUND': explain('There is no feature flag with this key.', 'Check the key of the flag.'),
  'FEATURE_FLAG.KEY_TAKEN': explain('Another feature flag has this key.', 'Choose another key.'),
  'FEATURE_FLAG.TOO_MANY': explain('The service has as many flags as it allows.', 'Delete unused flags first.'),
} satisfies ErrorExplanations;
