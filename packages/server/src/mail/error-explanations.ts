import { type ErrorExplanations, explain } from '../lib/error-explanation.ts';

export const mailErrors = {
  'MAIL.EXPIRED': explain(
    'The link in the mail has expired, so the mail is no longer sent.',
    'Ask the recipient to repeat the action that caused the mail.',
  ),
  'MAIL.LIMIT_REACHED': explain(
    'You have caused as many mails of this kind as are allowed in a day.',
    'Wait as long as `Retry-After` says. Links in the mails that were sent stay valid.',
  ),
} satisfies ErrorExplanations;
