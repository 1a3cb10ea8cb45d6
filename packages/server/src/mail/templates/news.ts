import type { Mail } from '../transport.ts';
import { writeLetter } from './layout.ts';

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
  const letter = writeLetter({
    subject,
    paragraphs,
    action: { label: 'Open the licensing service', url: publicUrl },
    alternative: { label: 'Unsubscribe', url },
    note: 'You receive this mail because you subscribed to our news and confirmed it.',
  });
  const headers = {
    'List-Unsubscribe': `<${url}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'Auto-Submitted': 'no',
    Precedence: 'bulk',
  };
  return { to, ...letter, headers };
}
