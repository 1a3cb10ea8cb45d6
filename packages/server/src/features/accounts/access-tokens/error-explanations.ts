import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const accessTokenErrors = {
  'ACCESS_TOKEN.TOO_MANY': explain(
    'The tenant has as many access tokens as it may have.',
    'Revoke unused access tokens first.',
  ),
} satisfies ErrorExplanations;
