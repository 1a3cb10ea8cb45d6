import type { Timestamp } from '../../lib/clock.ts';
import type { Mail } from '../transport.ts';
import { readableMoment, writeLetter } from './layout.ts';

interface SubscriptionRequest {
  readonly to: string;
  readonly token: string;
  readonly expiresAt: Timestamp;
  readonly publicUrl: string;
}

/**
 * Creates the mail whose link confirms a subscription to news (double opt-in). The token is in the fragment, which
 * browsers do not send to servers.
 */
export function confirmSubscriptionMail({ to, token, expiresAt, publicUrl }: SubscriptionRequest): Mail {
  const letter = writeLetter({
    subject: 'Please confirm your subscription',
    paragraphs: [
      'Someone asked us to send our news to this address.',
      `Please confirm that you want to receive it. The link works once, until ${readableMoment(expiresAt)}.`,
    ],
    action: { label: 'Yes, send me news', url: `${publicUrl}/confirm-subscription#token=${token}` },
    note: 'If that was not you, ignore this mail. We will send you nothing more and forget the address.',
  });
  return { to, ...letter, usefulUntil: expiresAt };
}
