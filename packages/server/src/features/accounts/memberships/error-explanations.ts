import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const membershipErrors = {
  'TENANT.SELECTION_REQUIRED': explain(
    'The user belongs to several tenants, and the request selects none.',
    'Send the id of the tenant in `X-Tenant-ID`.',
  ),
  'TENANT.ACCESS_DENIED': explain(
    'The caller is not a member of the selected tenant.',
    'Correct `X-Tenant-ID`, or ask an owner of the tenant for access.',
  ),
} satisfies ErrorExplanations;
