import type { Mail } from '../transport.ts';
import { writeLetter } from './layout.ts';

interface AccountLetter {
  readonly to: string;
  readonly publicUrl: string;
}

interface PasswordLetter extends AccountLetter {
  /** The path of the screen on which the person manages the account. */
  readonly path: string;
}

const open = (publicUrl: string, path = '/account') => ({ label: 'Open your account', url: `${publicUrl}${path}` });

/** Creates the mail about a password that the account's holder has changed while logged in. */
export function passwordChangedMail({ to, publicUrl, path }: PasswordLetter): Mail {
  const letter = writeLetter({
    subject: 'Your password was changed',
    paragraphs: [
      'The password of your account was changed. You stay logged in here and were logged out everywhere else.',
    ],
    action: open(publicUrl, path),
    note: 'If you did not do this, reset your password immediately.',
  });
  return { to, ...letter };
}

interface DeletionLetter extends AccountLetter {
  /** ISO 8601 timestamp in UTC. */
  readonly scheduledFor: string;
}

/** Creates the mail about the scheduled deletion of an account. */
export function deletionScheduledMail({ to, publicUrl, scheduledFor }: DeletionLetter): Mail {
  const letter = writeLetter({
    subject: 'Your account will be deleted',
    paragraphs: [
      `You asked us to delete your account. On ${scheduledFor.slice(0, 10)} we will erase all your personal data, including this address.`,
      'Until then you can log in as usual and cancel the deletion.',
    ],
    action: open(publicUrl),
    note: 'If you did not ask for this, log in, cancel the deletion and change your password immediately.',
  });
  return { to, ...letter };
}

/** Creates the mail that explains why a scheduled deletion did not happen. */
export function deletionPostponedMail({
  to,
  publicUrl,
  tenantNames,
}: AccountLetter & { readonly tenantNames: readonly string[] }): Mail {
  const letter = writeLetter({
    subject: 'Your account could not be deleted yet',
    paragraphs: [
      `You are the last owner of ${tenantNames.join(', ')}. Please make another member an owner, or have the tenant closed. We will delete your account within a day after that.`,
    ],
    action: open(publicUrl),
    note: 'We try again every day. You can also cancel the deletion.',
  });
  return { to, ...letter };
}
