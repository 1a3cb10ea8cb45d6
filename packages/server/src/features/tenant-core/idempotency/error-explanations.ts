import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const idempotencyErrors = {
  'IDEMPOTENCY.IN_PROGRESS': explain(
    'The first request with this `Idempotency-Key` still runs.',
    'Wait as long as `Retry-After` says, then repeat the request with the same key.',
  ),
  'IDEMPOTENCY.KEY_REUSED': explain(
    'A different request used this `Idempotency-Key` within 24 h.',
    'Choose a new key for each request; repeat only the same request with the same key.',
  ),
} satisfies ErrorExplanations;
