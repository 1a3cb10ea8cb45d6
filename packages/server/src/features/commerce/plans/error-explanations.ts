import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const planErrors = {
  'PLAN.CODE_TAKEN': explain('Another plan has this code.', 'Choose another code.'),
  'PLAN.IN_USE': explain(
    'Tenants have or have had the plan, so it cannot be deleted.',
    'Archive the plan, so that it is no longer offered.',
  ),
  'PLAN.FREE_FIXED': explain('The plan `free` cannot have a price, be archived or be deleted.', 'Create another plan.'),
} satisfies ErrorExplanations;
