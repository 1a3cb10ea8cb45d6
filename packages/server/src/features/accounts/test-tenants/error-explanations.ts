import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const testTenantErrors = {
  'TEST_TENANT.NOT_LIVE': explain('The tenant is a test tenant itself.', 'Send the request to its live tenant.'),
  'TEST_TENANT.NOT_TEST': explain('The tenant is not a test tenant.', 'Send the request to its test tenant.'),
} satisfies ErrorExplanations;
