import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const accountErrors = {
  'ACCOUNT.LAST_OWNER': explain(
    'The user is the last owner of a tenant.',
    'Make another member an owner, or close the tenant, first.',
  ),
  'ACCOUNT.EXPORT_NOT_READY': explain('The export is not ready.', 'Read the export until its status is `ready`.'),
} satisfies ErrorExplanations;
