import type { Mail } from '../transport.ts';
import { type AccountLinks, resetPasswordUrl } from './account-links.ts';
import { readableMoment, writeLetter } from './layout.ts';

/** The mail that tells somebody who registers that there is an account already. */
export function alreadyRegisteredMail(links: AccountLinks): Mail {
  const letter = writeLetter({
    subject: 'You have an account already',
    paragraphs: [
      'Somebody registered with this address, which has an account already. Nothing was changed: log in as usual.',
      `If you do not know your password any more, choose another one. The link works once, until ${readableMoment(links.expiresAt)}.`,
    ],
    action: { label: 'Choose a password', url: resetPasswordUrl(links) },
    note: 'If that was not you, ignore this mail: your account stays as it is.',
  });
  return { to: links.to, ...letter, usefulUntil: links.expiresAt };
}
