import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const adminErrors = {
  'ADMIN.EMAIL_TAKEN': explain('An admin has this email address already.', 'List the admins to find that admin.'),
  'ADMIN.LAST_SUPER_ADMIN': explain(
    'This is the last super_admin who can log in.',
    'Make another admin a super_admin first.',
  ),
  'ADMIN.OWN_ROLE': explain('Admins cannot change their own role.', 'Ask another super_admin.'),
} satisfies ErrorExplanations;
