import MarkdownIt from 'markdown-it';

// How Markdown of a tenant is read, wherever its holders see it.

/** The kinds of targets that a link may have. */
const safeTarget = /^(https?:\/\/|mailto:)/i;

/** Returns true for the address of a page or of a mailbox. Other addresses could run a script. */
export function isSafeTarget(target: string): boolean {
  return safeTarget.test(target);
}

/** Returns a parser that shows a link as text if `isTarget` refuses its target. */
export function createParser(isTarget: (target: string) => boolean): MarkdownIt {
  // `html: false` shows HTML as text. Images would be fetched from the sender's server whenever a mail is opened.
  const parser = new MarkdownIt('commonmark', { html: false, breaks: true }).disable('image');
  parser.validateLink = isTarget;
  parser.normalizeLink = (target) => target;
  parser.normalizeLinkText = (target) => target;
  return parser;
}

const parser = createParser(isSafeTarget);

/** Returns Markdown as HTML without images, scripts and elements of its own. */
export function toSafeHtml(markdown: string): string {
  return parser.render(markdown);
}
