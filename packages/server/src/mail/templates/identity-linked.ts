import type { Timestamp } from '../../lib/clock.ts';
import type { Mail } from '../transport.ts';
import { readableMoment, writeLetter } from './layout.ts';

interface IdentityLink {
  readonly to: string;
  /** The operator's name of the provider. */
  readonly provider: string;
  readonly at: Timestamp;
  readonly publicUrl: string;
}

/** Creates the mail that reports that a person can now log in to an existing account with single sign-on. */
export function identityLinkedMail({ to, provider, at, publicUrl }: IdentityLink): Mail {
  const letter = writeLetter({
    subject: 'You can now log in with single sign-on',
    paragraphs: [
      `At ${readableMoment(at)} somebody logged in to your account with ${provider}, which has verified this address. From now on both ways to log in lead to the same account.`,
    ],
    action: { label: 'Open the licensing service', url: publicUrl },
    note: 'If that was not you, change your password there and here, and contact the operator of this service.',
  });
  return { to, ...letter };
}
