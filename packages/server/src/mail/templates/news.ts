import type { Mail } from '../transport.ts';
import { writeLetter } from './layout.ts';

interface News {
  readonly to: string;
  readonly subject: string;
  /** Plain text; an empty line begins a paragraph. */
  readonly text: string;
  /** Ends the subscription of whoever follows it. */
  readonly token: string;
  readonly publicUrl: string;
}

/**
 * A mail to a subscriber. Its headers let a mail program unsubscribe in one click (RFC 8058); that link is the one in
 * the text, and so its token stands in the query, which a program can post to.
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
    note: 'You get this mail because you asked for our news and confirmed it.',
  });
  const headers = { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
  return { to, ...letter, headers };
}
