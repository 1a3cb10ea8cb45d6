import type { Mail } from '../transport.ts';
import { type AccountLinks, verifyEmailUrl } from './account-links.ts';
import { readableMoment, writeLetter } from './layout.ts';

/** The mail whose link verifies the address of an account. */
export function verifyEmailMail(links: AccountLinks): Mail {
  const letter = writeLetter({
    subject: 'Verify your e-mail address',
    paragraphs: [
      'An account was made with this address. Verify that the address is yours to use it.',
      `Log in with the password of the account when you are asked. The link works once, until ${readableMoment(links.expiresAt)}.`,
    ],
    action: { label: 'Verify the address', url: verifyEmailUrl(links) },
    note: 'If you made no account, ignore this mail: nothing happens without you.',
  });
  return { to: links.to, ...letter, usefulUntil: links.expiresAt };
}
