import type { Mail } from '../transport.ts';
import { type AccountLinks, verifyEmailUrl } from './account-links.ts';
import { readableMoment, writeLetter } from './layout.ts';

/** Creates the mail whose link verifies the address of an account. */
export function verifyEmailMail(links: AccountLinks): Mail {
  const letter = writeLetter({
    subject: 'Verify your e-mail address',
    paragraphs: [
      'An account was created with this address. To use it, verify that the address is yours.',
      `If you are asked to log in, use the password of the account. The link works once, until ${readableMoment(links.expiresAt)}.`,
    ],
    action: { label: 'Verify the address', url: verifyEmailUrl(links) },
    note: 'If you did not create an account, ignore this mail. Nothing happens without you.',
  });
  return { to: links.to, ...letter, usefulUntil: links.expiresAt };
}
