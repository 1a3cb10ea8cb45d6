import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const entitlementErrors = {
  'ENTITLEMENT.CODE_TAKEN': explain('Another entitlement has this code.', 'Choose another code.'),
  'ENTITLEMENT.IN_USE': explain(
    'Policies or licenses grant the entitlement.',
    'Remove it from the policies and the licenses first.',
  ),
  'ENTITLEMENT.NOT_GRANTED': explain(
    'The license does not grant every requested entitlement: see `entitlements`.',
    'Grant the entitlement in the policy or the license.',
  ),
} satisfies ErrorExplanations;
