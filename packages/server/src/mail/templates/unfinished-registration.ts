import type { Mail } from '../transport.ts';
import { type AccountLinks, resetPasswordUrl, verifyEmailUrl } from './account-links.ts';
import { readableMoment, writeLetter } from './layout.ts';

/**
 * The mail to an address that was registered before and never verified. Whoever made the account first chose its
 * password, which need not be the reader: choosing another one is the way in that is sure to be the reader's.
 */
export function unfinishedRegistrationMail(links: AccountLinks): Mail {
  const letter = writeLetter({
    subject: 'Finish your registration',
    paragraphs: [
      'Somebody registered with this address, which has an account that was never verified.',
      'Choose a password to make the account yours. It ends whatever password the account had before.',
      `The links work once, until ${readableMoment(links.expiresAt)}.`,
    ],
    action: { label: 'Choose a password', url: resetPasswordUrl(links) },
    alternative: { label: 'You know the password of the account? Verify the address', url: verifyEmailUrl(links) },
    note: 'If that was not you, ignore this mail: nothing happens without you.',
  });
  return { to: links.to, ...letter, usefulUntil: links.expiresAt };
}
