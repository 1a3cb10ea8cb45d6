import type { Timestamp } from '../../lib/clock.ts';
import type { Mail } from '../transport.ts';
import { readableMoment, writeLetter } from './layout.ts';

interface PasswordChange {
  readonly to: string;
  readonly at: Timestamp;
  readonly publicUrl: string;
}

/** The mail that tells somebody of a new password of the account. */
export function passwordChangedMail({ to, at, publicUrl }: PasswordChange): Mail {
  const letter = writeLetter({
    subject: 'Your password was changed',
    paragraphs: [
      `The password of your account was changed at ${readableMoment(at)}. Every session was ended: log in again.`,
    ],
    action: { label: 'Open the licensing service', url: publicUrl },
    note: 'If that was not you, choose another password at once, and look after your mailbox: its links can set one.',
  });
  return { to, ...letter };
}
