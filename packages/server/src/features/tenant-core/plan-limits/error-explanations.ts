import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const planLimitErrors = {
  'PLAN.LIMIT_REACHED': explain(
    "A limit of the tenant's plan is reached, so nothing more can be created.",
    'Delete what is unused, or choose a larger plan. The limits of a test tenant are fixed.',
  ),
} satisfies ErrorExplanations;
