import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const tenantErrors = {
  'TENANT.NOT_FOUND': explain('There is no such tenant.', 'Check the id of the tenant.'),
  'TENANT.TRANSITION_INVALID': explain(
    'The status of the tenant does not permit this change; a closed tenant stays closed.',
    'Read the tenant, and choose a change that its status permits.',
  ),
} satisfies ErrorExplanations;
