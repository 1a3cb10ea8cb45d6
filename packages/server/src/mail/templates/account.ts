import type { Timestamp } from '../../lib/clock.ts';
import { readableDay, readableMoment } from '../../lib/readable-time.ts';
import type { Mail } from '../transport.ts';
import { linkMinutes, openService, writeLetter } from './layout.ts';

/** The tokens that prove ownership of a mailbox, for the links in account mails. */
export interface AccountLinks {
  readonly to: string;
  readonly publicUrl: string;
  readonly tokens: { readonly verify_email: string; readonly reset_password: string };
  readonly expiresAt: Timestamp;
}

/** Returns the link that verifies an address. The token is in the fragment, which browsers do not send to servers. */
function verifyEmailUrl({ publicUrl, tokens }: AccountLinks): string {
  return `${publicUrl}/verify-email#token=${tokens.verify_email}`;
}

/** Returns the link that sets a new password. The token is in the fragment, which browsers do not send to servers. */
export function resetPasswordUrl({ publicUrl, tokens }: AccountLinks): string {
  return `${publicUrl}/reset-password#token=${tokens.reset_password}`;
}

/** Creates the mail with the link that verifies the address of an account. */
export function verifyEmailMail(links: AccountLinks): Mail {
  return writeLetter({
    to: links.to,
    subject: 'Verify your email address',
    paragraphs: [
      'Verify your email address to finish creating your account.',
      `You may be asked to log in with the password of the account. You can use the link once, for ${linkMinutes} minutes.`,
    ],
    action: { label: 'Verify email address', url: verifyEmailUrl(links) },
    note: 'If you did not create an account, you can ignore this email. The account stays unverified.',
    usefulUntil: links.expiresAt,
  });
}

/** Creates the mail for a registration with the address of an existing account. */
export function alreadyRegisteredMail(links: AccountLinks): Mail {
  return writeLetter({
    to: links.to,
    subject: 'You already have an account',
    paragraphs: [
      'Someone tried to create an account with this address, but you already have an account. Nothing has changed, and you can log in as usual.',
      `If you have forgotten your password, choose a new password. You can use the link once, for ${linkMinutes} minutes.`,
    ],
    action: { label: 'Choose password', url: resetPasswordUrl(links) },
    note: 'If this was not you, you can ignore this email. Your account has not changed.',
    usefulUntil: links.expiresAt,
  });
}

/**
 * Creates the mail for a registration with an address whose existing account was never verified. Another person may
 * have created that account and may know its password. The main action is therefore to choose a new password.
 */
export function unfinishedRegistrationMail(links: AccountLinks): Mail {
  return writeLetter({
    to: links.to,
    subject: 'Finish your registration',
    paragraphs: [
      'Someone created an account with this address. An earlier account with this address was never verified.',
      'Choose a password to take over the account. It replaces every earlier password.',
      `You can use each link once, for ${linkMinutes} minutes.`,
    ],
    action: { label: 'Choose password', url: resetPasswordUrl(links) },
    alternative: {
      label: 'If you know the password of the account, verify your email address',
      url: verifyEmailUrl(links),
    },
    note: 'If this was not you, you can ignore this email. The account stays unverified.',
    usefulUntil: links.expiresAt,
  });
}

/** Creates the mail with the link that sets a new password. */
export function resetPasswordMail(links: AccountLinks): Mail {
  return writeLetter({
    to: links.to,
    subject: 'Choose a new password',
    paragraphs: [
      'Someone requested a new password for the account with this address.',
      `A new password logs you out on every device. You can use the link once, for ${linkMinutes} minutes.`,
    ],
    action: { label: 'Choose password', url: resetPasswordUrl(links) },
    note: 'If this was not you, you can ignore this email. Your password has not changed.',
    usefulUntil: links.expiresAt,
  });
}

interface PasswordChange {
  readonly to: string;
  readonly at: Timestamp;
  readonly publicUrl: string;
}

/** Creates the mail about a password that was set with a mailed link. */
export function passwordResetMail({ to, at, publicUrl }: PasswordChange): Mail {
  return writeLetter({
    to,
    subject: 'Your password was changed',
    paragraphs: [
      `The password of your account was changed on ${readableMoment(at)}. You were logged out on every device. Log in with your new password.`,
    ],
    action: openService({ publicUrl }),
    note: 'If this was not you, choose another password immediately and secure your mailbox. Anyone who can read your mail can reset your password.',
  });
}

interface AccountLetter {
  readonly to: string;
  readonly publicUrl: string;
}

interface PasswordLetter extends AccountLetter {
  /** The path of the screen on which the person manages the account. */
  readonly path: string;
}

const openAccount = (publicUrl: string, path = '/account') => ({
  label: 'Open account',
  url: `${publicUrl}${path}`,
});

/** Creates the mail about a password that the account's holder has changed while logged in. */
export function passwordChangedMail({ to, publicUrl, path }: PasswordLetter): Mail {
  return writeLetter({
    to,
    subject: 'Your password was changed',
    paragraphs: ['The password of your account was changed. You were logged out on all other devices.'],
    action: openAccount(publicUrl, path),
    note: 'If this was not you, reset your password immediately.',
  });
}

interface DeletionLetter extends AccountLetter {
  readonly scheduledFor: Timestamp;
}

/** Creates the mail about the scheduled deletion of an account. */
export function deletionScheduledMail({ to, publicUrl, scheduledFor }: DeletionLetter): Mail {
  return writeLetter({
    to,
    subject: 'Your account will be deleted',
    paragraphs: [
      `You asked us to delete your account. On ${readableDay(scheduledFor)}, we will erase all your personal data, including this address.`,
      'Until then, you can log in as usual and cancel the deletion.',
    ],
    action: openAccount(publicUrl),
    note: 'If this was not you, log in, cancel the deletion and change your password immediately.',
  });
}

/** Creates the mail that explains why a scheduled deletion did not happen. */
export function deletionPostponedMail({
  to,
  publicUrl,
  tenantNames,
}: AccountLetter & { readonly tenantNames: readonly string[] }): Mail {
  return writeLetter({
    to,
    subject: 'Your account could not be deleted yet',
    paragraphs: [
      `You are the last owner of ${tenantNames.join(', ')}. Make another member an owner, or close the tenant in its settings. We will delete your account within a day after that.`,
    ],
    action: openAccount(publicUrl),
    note: 'We try again every day. You can also cancel the deletion.',
  });
}

interface TwoFactorChange {
  readonly to: string;
  readonly at: Timestamp;
  readonly publicUrl: string;
}

interface TwoFactorEnabled extends TwoFactorChange {
  /** The token of the link that undoes it; null for an admin. */
  readonly undoToken: string | null;
  readonly undoableUntil: Timestamp;
}

/** Creates the notice that two-factor authentication was turned on, for a user with a link that undoes it. */
export function twoFactorEnabledMail({ to, at, publicUrl, undoToken, undoableUntil }: TwoFactorEnabled): Mail {
  const paragraphs = [
    `Two-factor authentication was turned on for your account on ${readableMoment(at)}.`,
    'You now need a code from your authenticator app to log in. Keep your recovery codes in a safe place.',
  ];
  const subject = 'Two-factor authentication was turned on';
  if (undoToken === null) {
    const note = 'If this was not you, choose another password immediately and contact the operator of this service.';
    return writeLetter({ to, subject, paragraphs, action: openService({ publicUrl }), note });
  }
  return writeLetter({
    to,
    subject,
    paragraphs: [
      ...paragraphs,
      `If this was not you, undo it. You can then log in without a code, all your sessions end, and you choose a new password. You can use the link once, until ${readableMoment(undoableUntil)}.`,
    ],
    action: { label: 'Turn off two-factor authentication', url: `${publicUrl}/undo-two-factor#token=${undoToken}` },
    note: 'If this was you, you do not need to do anything.',
    usefulUntil: undoableUntil,
  });
}

/** Creates the notice that two-factor authentication was turned off. */
export function twoFactorDisabledMail({ to, at, publicUrl }: TwoFactorChange): Mail {
  return writeLetter({
    to,
    subject: 'Two-factor authentication was turned off',
    paragraphs: [
      `Two-factor authentication was turned off for your account on ${readableMoment(at)}.`,
      'You now log in with only your password.',
    ],
    action: openService({ publicUrl }),
    note: 'If this was not you, choose another password immediately and contact the operator of this service.',
  });
}

/** Creates the mail after the link that undoes two-factor authentication was used, with a link to choose a password. */
export function twoFactorUndoneMail(links: AccountLinks): Mail {
  return writeLetter({
    to: links.to,
    subject: 'Two-factor authentication was undone',
    paragraphs: [
      'Two-factor authentication is off, all your sessions have ended, and your old password no longer works. Choose a new password to log in.',
      `You can use the link once, for ${linkMinutes} minutes. After that, request another link on the login page.`,
      'Also check the members, API keys, access tokens and webhooks of your tenants.',
    ],
    action: { label: 'Choose password', url: resetPasswordUrl(links) },
    note: 'You received this email because the link to undo two-factor authentication was used.',
    usefulUntil: links.expiresAt,
  });
}

interface IdentityLink {
  readonly to: string;
  /** The operator's name of the provider. */
  readonly provider: string;
  readonly at: Timestamp;
  readonly publicUrl: string;
}

/** Creates the notice that an existing account can now be used with single sign-on. */
export function identityLinkedMail({ to, provider, at, publicUrl }: IdentityLink): Mail {
  return writeLetter({
    to,
    subject: 'You can now log in with single sign-on',
    paragraphs: [
      `On ${readableMoment(at)}, someone logged in to your account with ${provider}, which has verified this address. You can now log in to the same account in both ways.`,
    ],
    action: openService({ publicUrl }),
    note: 'If this was not you, change your password both there and here, and contact the operator of this service.',
  });
}
