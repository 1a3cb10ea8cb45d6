import { type ErrorExplanations, explain } from '../lib/error-explanation.ts';

export const rateLimitErrors = {
  'RATE_LIMIT.EXCEEDED': explain(
    'Too many requests.',
    'Wait as long as `Retry-After` says, then send the request again.',
  ),
  'AUTH.LOCKED_OUT': explain(
    'Too many failed attempts have locked the account for this address.',
    'Wait as long as `Retry-After` says.',
  ),
} satisfies ErrorExplanations;
