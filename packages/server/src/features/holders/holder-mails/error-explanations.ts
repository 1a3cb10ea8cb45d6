import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const holderMailErrors = {
  'LICENSE.HOLDER_EMAIL_MISSING': explain(
    'The license has no email address of a customer for the mail or the link.',
    "Enter the customer's address first.",
  ),
  'MAIL.NOT_REPEATABLE': explain(
    'The mail still waits, or its code or link works only once.',
    'Wait for the next attempt, or let the customer ask for a new mail.',
  ),
  'MAIL.NOT_ACCEPTED': explain(
    'The mail server did not accept the mail. The message has its words.',
    'Check the server, its user, its password and the addresses, and try again.',
  ),
} satisfies ErrorExplanations;
