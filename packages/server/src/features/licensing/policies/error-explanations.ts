import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const policyErrors = {
  'POLICY.CODE_TAKEN': explain('Another policy of the product has this code.', 'Choose another code.'),
  'POLICY.IN_USE': explain('The policy has licenses.', 'Archive the policy instead.'),
  'POLICY.ARCHIVED': explain(
    'The policy is archived, so no licenses are issued under it.',
    'Unarchive the policy, or choose another one.',
  ),
} satisfies ErrorExplanations;
