import type { Timestamp } from '../../lib/clock.ts';
import type { Mail } from '../transport.ts';
import { readableMoment, writeLetter } from './layout.ts';

interface SubscriptionRequest {
  readonly to: string;
  readonly token: string;
  readonly expiresAt: Timestamp;
  readonly publicUrl: string;
}

/** The mail whose link says that the address wants news. The token stands behind `#`, as in every link. */
export function confirmSubscriptionMail({ to, token, expiresAt, publicUrl }: SubscriptionRequest): Mail {
  const letter = writeLetter({
    subject: 'Confirm that you want our news',
    paragraphs: [
      'Somebody asked for our news to be sent to this address.',
      `Confirm it to get them. The link works once, until ${readableMoment(expiresAt)}.`,
    ],
    action: { label: 'Yes, send me news', url: `${publicUrl}/confirm-subscription#token=${token}` },
    note: 'If that was not you, ignore this mail: you get nothing more, and the address is forgotten.',
  });
  return { to, ...letter, usefulUntil: expiresAt };
}
