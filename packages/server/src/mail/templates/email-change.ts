import type { Timestamp } from '../../lib/clock.ts';
import type { Mail } from '../transport.ts';
import { type AccountLinks, resetPasswordUrl } from './account.ts';
import { linkMinutes, openService, readableMoment, writeLetter } from './layout.ts';

interface Addressed {
  readonly to: string;
  readonly publicUrl: string;
}

interface EmailChangeLetter {
  readonly oldEmail: string;
  readonly newEmail: string;
  readonly publicUrl: string;
  readonly token: string;
  /** When the link expires. */
  readonly expiresAt: Timestamp;
}

/** Creates the mail to the new address with the link that confirms the change. */
export function confirmEmailMail({ oldEmail, newEmail, publicUrl, token, expiresAt }: EmailChangeLetter): Mail {
  return writeLetter({
    to: newEmail,
    subject: 'Confirm your new e-mail address',
    paragraphs: [
      `The account of ${oldEmail} should use this address from now on. Please confirm the change.`,
      `Until then you log in with the old address. The link works once, until ${readableMoment(expiresAt)}.`,
    ],
    action: { label: 'Confirm the address', url: `${publicUrl}/change-email#token=${token}` },
    note: 'If you did not expect this, ignore this mail. Nothing changes without your confirmation.',
    usefulUntil: expiresAt,
  });
}

/** Creates the notice to the old address with the link that cancels or reverts the change. */
export function emailChangeNoticeMail({ oldEmail, newEmail, publicUrl, token, expiresAt }: EmailChangeLetter): Mail {
  return writeLetter({
    to: oldEmail,
    subject: 'Your e-mail address is about to change',
    paragraphs: [
      `Someone who knows your password asked to change the address of your account from ${oldEmail} to ${newEmail}. The change takes effect when the new address is confirmed.`,
      'If that was you, you need not do anything here.',
      `If it was not you, undo it: your account keeps this address or gets it back, every session ends, and you choose a new password. The link works once, until ${readableMoment(expiresAt)}.`,
    ],
    action: { label: 'Undo the change', url: `${publicUrl}/revert-email#token=${token}` },
    note: 'You get this mail because this is the address of your account. Nobody can undo the change after that time.',
    usefulUntil: expiresAt,
  });
}

/** Creates the notice that somebody entered the recipient's address for another account. */
export function addressInUseMail({ to, publicUrl }: Addressed): Mail {
  return writeLetter({
    to,
    subject: 'Your address was entered for another account',
    paragraphs: [
      'Someone asked to use this address for another account. It belongs to your account, so nothing was changed.',
      'If that was you, log in to the account with this address instead, or change its address first.',
    ],
    action: openService({ publicUrl }),
    note: 'If that was not you, ignore this mail. Your account stays as it is.',
  });
}

/** Creates the mail for a registration with an address that an account left a short time ago. */
export function addressReservedMail({ to, publicUrl }: Addressed): Mail {
  return writeLetter({
    to,
    subject: 'This address is still reserved',
    paragraphs: [
      'Someone tried to register with this address. It was the address of an account until a short time ago, and that change can be undone for 7 days. Until then no other account can have the address.',
      'To get the account back, use the link in our mail about the change. To register, try again when the 7 days are over.',
    ],
    action: openService({ publicUrl }),
    note: 'If that was not you, ignore this mail. Nothing was changed.',
  });
}

interface RevertedLetter extends AccountLinks {
  /** False if the change was cancelled before it was confirmed. */
  readonly isConfirmed: boolean;
}

/** Creates the mail to the old address after a change was undone, with the link that sets a new password. */
export function emailChangeRevertedMail({ isConfirmed, ...links }: RevertedLetter): Mail {
  const outcome = isConfirmed ? 'Your account has this address again.' : 'Your account keeps this address.';
  return writeLetter({
    to: links.to,
    subject: 'The change of your address was undone',
    paragraphs: [
      `${outcome} Every session was ended, and the old password no longer works. Choose a new one to log in.`,
      `The link works once, for ${linkMinutes} minutes. After that, request another one on the login page.`,
      'If someone else was logged in, also check the members, the API keys, the access tokens and the webhooks of your tenants.',
    ],
    action: { label: 'Choose a password', url: resetPasswordUrl(links) },
    note: 'You get this mail because the link that undoes the change was used.',
    usefulUntil: links.expiresAt,
  });
}

/** Creates the mail to an address that an account no longer has, because the change was undone. */
export function formerEmailMail({ to, publicUrl }: Addressed): Mail {
  return writeLetter({
    to,
    subject: 'Your address was removed from an account',
    paragraphs: ['The change of an account to this address was undone from its former address. You were logged out.'],
    action: openService({ publicUrl }),
    note: 'If the account is yours, contact the operator of the service.',
  });
}
