import { foldEmail } from '../../../lib/email.ts';
import { validationError } from '../../../lib/error.ts';

/**
 * Throws 422 with the field `password` if a new password is the person's own email address. The other rules for new
 * passwords are in the schema `NewPassword`, which does not know the person.
 */
export function refuseOwnAddress(password: string, email: string): void {
  if (foldEmail(password) !== foldEmail(email)) return;
  throw validationError({ field: 'password', message: 'Choose a password that is not your email address.' });
}
