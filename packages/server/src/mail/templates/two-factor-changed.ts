import type { Timestamp } from '../../lib/clock.ts';
import type { Mail } from '../transport.ts';
import { readableMoment, writeLetter } from './layout.ts';

interface TwoFactorChange {
  readonly to: string;
  readonly enabled: boolean;
  readonly at: Timestamp;
  readonly publicUrl: string;
}

/** The mail that tells somebody that logging in asks for a code from now on, or no more. */
export function twoFactorChangedMail({ to, enabled, at, publicUrl }: TwoFactorChange): Mail {
  const state = enabled ? 'turned on' : 'turned off';
  const effect = enabled
    ? 'Logging in asks for a code of your authenticator app from now on. Keep your recovery codes in a safe place.'
    : 'Logging in asks for your password only from now on.';
  const letter = writeLetter({
    subject: `Two-factor authentication was ${state}`,
    paragraphs: [`Two-factor authentication of your account was ${state} at ${readableMoment(at)}.`, effect],
    action: { label: 'Open the licensing service', url: publicUrl },
    note: 'If that was not you, choose another password at once and tell whoever runs this service.',
  });
  return { to, ...letter };
}
