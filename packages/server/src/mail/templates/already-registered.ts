import type { Mail } from '../transport.ts';
import { type AccountLinks, resetPasswordUrl } from './account-links.ts';
import { readableMoment, writeLetter } from './layout.ts';

/** Creates the mail for a registration with the address of an existing account. */
export function alreadyRegisteredMail(links: AccountLinks): Mail {
  const letter = writeLetter({
    subject: 'You already have an account',
    paragraphs: [
      'Someone tried to register with this address, which already has an account. Nothing was changed, and you can log in as usual.',
      `If you have forgotten your password, choose a new one. The link works once, until ${readableMoment(links.expiresAt)}.`,
    ],
    action: { label: 'Choose a password', url: resetPasswordUrl(links) },
    note: 'If that was not you, ignore this mail. Your account stays as it is.',
  });
  return { to: links.to, ...letter, usefulUntil: links.expiresAt };
}
