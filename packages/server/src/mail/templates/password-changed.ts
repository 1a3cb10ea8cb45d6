import type { Timestamp } from '../../lib/clock.ts';
import type { Mail } from '../transport.ts';
import { readableMoment, writeLetter } from './layout.ts';

interface PasswordChange {
  readonly to: string;
  readonly at: Timestamp;
  readonly publicUrl: string;
}

/** Creates the mail about a password that was set with a mailed link. */
export function passwordChangedMail({ to, at, publicUrl }: PasswordChange): Mail {
  const letter = writeLetter({
    subject: 'Your password was changed',
    paragraphs: [
      `The password of your account was changed at ${readableMoment(at)}. You were logged out everywhere; please log in again.`,
    ],
    action: { label: 'Open the licensing service', url: publicUrl },
    note: 'If that was not you, choose another password immediately and secure your mailbox: anyone who can read it can reset your password.',
  });
  return { to, ...letter };
}
