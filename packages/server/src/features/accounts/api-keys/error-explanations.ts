import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const apiKeyErrors = {
  'AUTH.INVALID_API_KEY': explain(
    'The API key is missing, unknown, revoked or expired.',
    'Send an active API key in `X-API-Key`.',
  ),
  'AUTH.SCOPE_REQUIRED': explain(
    'The API key lacks the scope of the route.',
    'Create a key with the scope that the message names.',
  ),
  'AUTH.IP_NOT_ALLOWED': explain(
    'The API key may not be used from this address.',
    'Call from an address in `allowed_cidrs` of the key, or create a key that allows this address.',
  ),
  'API_KEY.REVOKED': explain('The API key was revoked.', 'Create another one.'),
} satisfies ErrorExplanations;
