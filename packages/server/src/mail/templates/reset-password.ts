import type { Mail } from '../transport.ts';
import { type AccountLinks, resetPasswordUrl } from './account-links.ts';
import { readableMoment, writeLetter } from './layout.ts';

/** Creates the mail whose link sets a new password. */
export function resetPasswordMail(links: AccountLinks): Mail {
  const letter = writeLetter({
    subject: 'Choose a new password',
    paragraphs: [
      'Someone asked for a new password for the account with this address.',
      `A new password ends every session of the account. The link works once, until ${readableMoment(links.expiresAt)}.`,
    ],
    action: { label: 'Choose a password', url: resetPasswordUrl(links) },
    note: 'If that was not you, ignore this mail. Your password stays as it is.',
  });
  return { to: links.to, ...letter, usefulUntil: links.expiresAt };
}
