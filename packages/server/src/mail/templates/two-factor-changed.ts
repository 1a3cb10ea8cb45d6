import type { Timestamp } from '../../lib/clock.ts';
import type { Mail } from '../transport.ts';
import { readableMoment, writeLetter } from './layout.ts';

interface TwoFactorChange {
  readonly to: string;
  readonly enabled: boolean;
  readonly at: Timestamp;
  readonly publicUrl: string;
}

/** Creates the mail that reports that two-factor authentication was turned on or off. */
export function twoFactorChangedMail({ to, enabled, at, publicUrl }: TwoFactorChange): Mail {
  const state = enabled ? 'turned on' : 'turned off';
  const effect = enabled
    ? 'From now on you need a code from your authenticator app to log in. Keep your recovery codes in a safe place.'
    : 'From now on your password is enough to log in.';
  const letter = writeLetter({
    subject: `Two-factor authentication was ${state}`,
    paragraphs: [`Two-factor authentication for your account was ${state} at ${readableMoment(at)}.`, effect],
    action: { label: 'Open the licensing service', url: publicUrl },
    note: 'If that was not you, choose another password immediately and contact the operator of this service.',
  });
  return { to, ...letter };
}
