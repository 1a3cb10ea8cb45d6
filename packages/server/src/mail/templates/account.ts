import type { Timestamp } from '../../lib/clock.ts';
import type { Mail } from '../transport.ts';
import { linkMinutes, openService, readableMoment, writeLetter } from './layout.ts';

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
    subject: 'Verify your e-mail address',
    paragraphs: [
      'An account was created with this address. To use it, verify that the address is yours.',
      `If you are asked to log in, use the password of the account. The link works once, for ${linkMinutes} minutes.`,
    ],
    action: { label: 'Verify the address', url: verifyEmailUrl(links) },
    note: 'If you did not create an account, ignore this mail. Nothing happens without you.',
    usefulUntil: links.expiresAt,
  });
}

/** Creates the mail for a registration with the address of an existing account. */
export function alreadyRegisteredMail(links: AccountLinks): Mail {
  return writeLetter({
    to: links.to,
    subject: 'You already have an account',
    paragraphs: [
      'Someone tried to register with this address, which already has an account. Nothing was changed, and you can log in as usual.',
      `If you have forgotten your password, choose a new one. The link works once, for ${linkMinutes} minutes.`,
    ],
    action: { label: 'Choose a password', url: resetPasswordUrl(links) },
    note: 'If that was not you, ignore this mail. Your account stays as it is.',
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
      'Someone registered with this address. It already has an account that was never verified.',
      'Choose a password to make the account yours. It replaces any earlier password.',
      `The links work once, for ${linkMinutes} minutes.`,
    ],
    action: { label: 'Choose a password', url: resetPasswordUrl(links) },
    alternative: { label: 'If you know the password of the account, verify the address', url: verifyEmailUrl(links) },
    note: 'If that was not you, ignore this mail. Nothing happens without you.',
    usefulUntil: links.expiresAt,
  });
}

/** Creates the mail with the link that sets a new password. */
export function resetPasswordMail(links: AccountLinks): Mail {
  return writeLetter({
    to: links.to,
    subject: 'Choose a new password',
    paragraphs: [
      'Someone asked for a new password for the account with this address.',
      `A new password ends every session of the account. The link works once, for ${linkMinutes} minutes.`,
    ],
    action: { label: 'Choose a password', url: resetPasswordUrl(links) },
    note: 'If that was not you, ignore this mail. Your password stays as it is.',
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
      `The password of your account was changed at ${readableMoment(at)}. You were logged out everywhere; please log in again.`,
    ],
    action: openService({ publicUrl }),
    note: 'If that was not you, choose another password immediately and secure your mailbox: anyone who can read it can reset your password.',
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
  label: 'Open your account',
  url: `${publicUrl}${path}`,
});

/** Creates the mail about a password that the account's holder has changed while logged in. */
export function passwordChangedMail({ to, publicUrl, path }: PasswordLetter): Mail {
  return writeLetter({
    to,
    subject: 'Your password was changed',
    paragraphs: [
      'The password of your account was changed. You stay logged in here and were logged out everywhere else.',
    ],
    action: openAccount(publicUrl, path),
    note: 'If you did not do this, reset your password immediately.',
  });
}

interface DeletionLetter extends AccountLetter {
  /** ISO 8601 timestamp in UTC. */
  readonly scheduledFor: string;
}

/** Creates the mail about the scheduled deletion of an account. */
export function deletionScheduledMail({ to, publicUrl, scheduledFor }: DeletionLetter): Mail {
  return writeLetter({
    to,
    subject: 'Your account will be deleted',
    paragraphs: [
      `You asked us to delete your account. On ${scheduledFor.slice(0, 10)} we will erase all your personal data, including this address.`,
      'Until then you can log in as usual and cancel the deletion.',
    ],
    action: openAccount(publicUrl),
    note: 'If you did not ask for this, log in, cancel the deletion and change your password immediately.',
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
      `You are the last owner of ${tenantNames.join(', ')}. Please make another member an owner, or have the tenant closed. We will delete your account within a day after that.`,
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
    `Two-factor authentication for your account was turned on at ${readableMoment(at)}.`,
    'From now on you need a code from your authenticator app to log in. Keep your recovery codes in a safe place.',
  ];
  const subject = 'Two-factor authentication was turned on';
  if (undoToken === null) {
    const note = 'If that was not you, choose another password immediately and contact the operator of this service.';
    return writeLetter({ to, subject, paragraphs, action: openService({ publicUrl }), note });
  }
  return writeLetter({
    to,
    subject,
    paragraphs: [
      ...paragraphs,
      `If that was not you, undo it: no code is needed any more, every session ends, and you choose a new password. The link works once, until ${readableMoment(undoableUntil)}.`,
    ],
    action: { label: 'Undo it', url: `${publicUrl}/undo-two-factor#token=${undoToken}` },
    note: 'If that was you, you need not do anything here.',
    usefulUntil: undoableUntil,
  });
}

/** Creates the notice that two-factor authentication was turned off. */
export function twoFactorDisabledMail({ to, at, publicUrl }: TwoFactorChange): Mail {
  return writeLetter({
    to,
    subject: 'Two-factor authentication was turned off',
    paragraphs: [
      `Two-factor authentication for your account was turned off at ${readableMoment(at)}.`,
      'From now on your password is enough to log in.',
    ],
    action: openService({ publicUrl }),
    note: 'If that was not you, choose another password immediately and contact the operator of this service.',
  });
}

/** Creates the mail after the link that undoes two-factor authentication was used, with a link to choose a password. */
export function twoFactorUndoneMail(links: AccountLinks): Mail {
  return writeLetter({
    to: links.to,
    subject: 'Two-factor authentication was undone',
    paragraphs: [
      'Two-factor authentication is off again, every session of your account has ended, and the old password no longer works. Choose a new one to log in.',
      `The link works once, for ${linkMinutes} minutes. After that, request another one on the login page.`,
      'Also check the members, the API keys, the access tokens and the webhooks of your tenants.',
    ],
    action: { label: 'Choose a password', url: resetPasswordUrl(links) },
    note: 'You get this mail because the link that undoes two-factor authentication was used.',
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
      `At ${readableMoment(at)} somebody logged in to your account with ${provider}, which has verified this address. From now on both ways to log in lead to the same account.`,
    ],
    action: openService({ publicUrl }),
    note: 'If that was not you, change your password there and here, and contact the operator of this service.',
  });
}
