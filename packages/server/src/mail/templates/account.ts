import type { Mail } from '../transport.ts';
import { writeLetter } from './layout.ts';

interface AccountLetter {
  readonly to: string;
  readonly publicUrl: string;
}

const open = (publicUrl: string) => ({ label: 'Open the licensing service', url: publicUrl });

/** Tells somebody of a change that only the holder of the account should have made. */
export function passwordChangedMail({ to, publicUrl }: AccountLetter): Mail {
  const letter = writeLetter({
    subject: 'Your password was changed',
    paragraphs: ['The password of your account was changed, and every other place was logged out.'],
    action: open(publicUrl),
    note: 'If that was not you, reset your password at once.',
  });
  return { to, ...letter };
}

interface DeletionLetter extends AccountLetter {
  /** ISO 8601. */
  readonly scheduledFor: string;
}

/** Tells when an account is erased. */
export function deletionScheduledMail({ to, publicUrl, scheduledFor }: DeletionLetter): Mail {
  const letter = writeLetter({
    subject: 'Your account will be deleted',
    paragraphs: [
      `You asked for your account to be deleted. On ${scheduledFor.slice(0, 10)} everything about you is erased, this address included.`,
      'Until then you can log in as usual and cancel it.',
    ],
    action: open(publicUrl),
    note: 'If that was not you, log in, cancel the deletion and change your password at once.',
  });
  return { to, ...letter };
}

/** Tells why an account is still there. */
export function deletionPostponedMail({
  to,
  publicUrl,
  tenantNames,
}: AccountLetter & { readonly tenantNames: readonly string[] }): Mail {
  const letter = writeLetter({
    subject: 'Your account could not be deleted yet',
    paragraphs: [
      `You are the last owner of ${tenantNames.join(', ')}. Make somebody else an owner there, or have it closed: your account is deleted within a day of that.`,
    ],
    action: open(publicUrl),
    note: 'It is tried again every day. You can also cancel the deletion.',
  });
  return { to, ...letter };
}
