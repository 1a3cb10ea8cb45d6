import type { Timestamp } from '../../lib/clock.ts';
import { readableMoment } from '../../lib/readable-time.ts';
import type { Mail } from '../transport.ts';
import { openService, writeLetter } from './layout.ts';

interface News {
  readonly to: string;
  readonly subject: string;
  /** Plain text; an empty line starts a new paragraph. */
  readonly text: string;
  /** The token that ends the recipient's subscription. */
  readonly token: string;
  readonly publicUrl: string;
}

/**
 * Creates a mail to a subscriber. Its headers let mail programs unsubscribe with one click (RFC 8058). They use the
 * same link as the text, so its token is in the query and not in the fragment: mail programs must be able to post to
 * it. A person writes news, so they are not marked as automatic; `Precedence` and the list headers keep programs from
 * answering them (RFC 3834, section 2).
 */
export function newsMail({ to, subject, text, token, publicUrl }: News): Mail {
  const url = `${publicUrl}/api/v1/marketing/unsubscribe?token=${token}`;
  const paragraphs = text
    .split(/\r?\n\s*\r?\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '');
  return writeLetter({
    to,
    subject,
    paragraphs,
    action: openService({ publicUrl }),
    alternative: { label: 'Unsubscribe', url },
    note: 'You received this email because you subscribed to our news.',
    headers: {
      'List-Unsubscribe': `<${url}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'no',
      Precedence: 'bulk',
    },
  });
}

interface SubscriptionRequest {
  readonly to: string;
  readonly token: string;
  readonly expiresAt: Timestamp;
  readonly publicUrl: string;
}

/**
 * Creates the mail with the link that confirms a subscription to news (double opt-in). The token is in the fragment,
 * which browsers do not send to servers.
 */
export function confirmSubscriptionMail({ to, token, expiresAt, publicUrl }: SubscriptionRequest): Mail {
  return writeLetter({
    to,
    subject: 'Confirm your subscription',
    paragraphs: [
      'Someone asked us to send our news to this address.',
      `Confirm that you want to receive it. You can use the link once, until ${readableMoment(expiresAt)}.`,
    ],
    action: { label: 'Confirm subscription', url: `${publicUrl}/confirm-subscription#token=${token}` },
    note: 'If this was not you, you can ignore this email. We will not send you anything else, and we will delete your address.',
    usefulUntil: expiresAt,
  });
}
