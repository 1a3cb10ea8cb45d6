import type { Timestamp } from '../../lib/clock.ts';
import { readableMoment } from '../../lib/readable-time.ts';
import type { Mail } from '../transport.ts';
import { type AccountLinks, resetPasswordUrl } from './account.ts';
import { linkMinutes, openService, writeLetter } from './layout.ts';

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
    subject: 'Confirm your new email address',
    paragraphs: [
      `Confirm that the account of ${oldEmail} should use this address.`,
      `Until then, you log in with the old address. You can use the link once, until ${readableMoment(expiresAt)}.`,
    ],
    action: { label: 'Confirm address', url: `${publicUrl}/change-email#token=${token}` },
    note: 'If you did not expect this, you can ignore this email. Nothing changes until you confirm.',
    usefulUntil: expiresAt,
  });
}

/** Creates the notice to the old address with the link that cancels or reverts the change. */
export function emailChangeNoticeMail({ oldEmail, newEmail, publicUrl, token, expiresAt }: EmailChangeLetter): Mail {
  return writeLetter({
    to: oldEmail,
    subject: 'Your email address is about to change',
    paragraphs: [
      `Someone with your password asked to change the email address of your account from ${oldEmail} to ${newEmail}. The change takes effect when the new address is confirmed.`,
      'If this was you, you do not need to do anything.',
      `If this was not you, undo the change. Your account keeps this address or gets it back, all your sessions end, and you choose a new password. You can use the link once, until ${readableMoment(expiresAt)}.`,
    ],
    action: { label: 'Undo change', url: `${publicUrl}/revert-email#token=${token}` },
    note: 'You received this email because this is the address of your account. You cannot undo the change after that time.',
    usefulUntil: expiresAt,
  });
}

/** Creates the notice that somebody entered the recipient's address for another account. */
export function addressInUseMail({ to, publicUrl }: Addressed): Mail {
  return writeLetter({
    to,
    subject: 'Your address was entered for another account',
    paragraphs: [
      'Someone asked to use this address for another account. It belongs to your account, so nothing has changed.',
      'If this was you, log in to the account with this address, or change its address first.',
    ],
    action: openService({ publicUrl }),
    note: 'If this was not you, you can ignore this email. Your account has not changed.',
  });
}

/** Creates the mail for a registration with an address that an account left a short time ago. */
export function addressReservedMail({ to, publicUrl }: Addressed): Mail {
  return writeLetter({
    to,
    subject: 'This address is still reserved',
    paragraphs: [
      'Someone tried to create an account with this address. Another account had this address until recently, and that change can be undone for 7 days. Until then, no other account can use the address.',
      'To get the account back, use the link in our mail about the change. To create an account, try again after the 7 days.',
    ],
    action: openService({ publicUrl }),
    note: 'If this was not you, you can ignore this email. Nothing has changed.',
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
      `${outcome} All your sessions have ended, and your old password no longer works. Choose a new password to log in.`,
      `You can use the link once, for ${linkMinutes} minutes. After that, request another link on the login page.`,
      'Someone else may have been logged in. Also check the members, API keys, access tokens and webhooks of your tenants.',
    ],
    action: { label: 'Choose password', url: resetPasswordUrl(links) },
    note: 'You received this email because the link to undo the change was used.',
    usefulUntil: links.expiresAt,
  });
}

/** Creates the mail to an address that an account no longer has, because the change was undone. */
export function formerEmailMail({ to, publicUrl }: Addressed): Mail {
  return writeLetter({
    to,
    subject: 'Your address was removed from an account',
    paragraphs: [
      'The account moved back to its previous address, because the change to this address was undone there. You were logged out.',
    ],
    action: openService({ publicUrl }),
    note: 'If this is your account, contact the operator of this service.',
  });
}
