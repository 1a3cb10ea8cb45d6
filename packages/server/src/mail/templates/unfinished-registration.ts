import type { Mail } from '../transport.ts';
import { type AccountLinks, resetPasswordUrl, verifyEmailUrl } from './account-links.ts';
import { readableMoment, writeLetter } from './layout.ts';

/**
 * Creates the mail for a registration with an address whose existing account was never verified. Another person may
 * have created that account and may know its password. The main action is therefore to choose a new password.
 */
export function unfinishedRegistrationMail(links: AccountLinks): Mail {
  const letter = writeLetter({
    subject: 'Finish your registration',
    paragraphs: [
      'Someone registered with this address. It already has an account that was never verified.',
      'Choose a password to make the account yours. It replaces any earlier password.',
      `The links work once, until ${readableMoment(links.expiresAt)}.`,
    ],
    action: { label: 'Choose a password', url: resetPasswordUrl(links) },
    alternative: { label: 'If you know the password of the account, verify the address', url: verifyEmailUrl(links) },
    note: 'If that was not you, ignore this mail. Nothing happens without you.',
  });
  return { to: links.to, ...letter, usefulUntil: links.expiresAt };
}
