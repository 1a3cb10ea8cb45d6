import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const memberErrors = {
  'MEMBER.ALREADY_ADDED': explain(
    'The person is a member of the tenant already, or is invited.',
    'Change the role of the member instead.',
  ),
  'MEMBER.CONSENT_REQUIRED': explain(
    'Nobody becomes an owner of a tenant without accepting.',
    'Invite the address with the role `owner`.',
  ),
  'MEMBER.LAST_OWNER': explain(
    'The change would leave the tenant without an owner.',
    'Make another member an owner first.',
  ),
} satisfies ErrorExplanations;
