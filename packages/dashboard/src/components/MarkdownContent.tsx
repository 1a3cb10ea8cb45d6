import MarkdownIt, { type Token } from 'markdown-it';
import { createElement, Fragment, type ReactNode } from 'react';

// The same rules as in mails: no HTML, no images, and only these targets of links. The tokens become elements of React, so
// no text is ever read as HTML.
const safeTarget = /^(https?:\/\/|mailto:)/i;
const parser = new MarkdownIt('commonmark', { html: false, breaks: true }).disable('image');
parser.validateLink = (target) => safeTarget.test(target);

/** Markdown that somebody else may have written, as text with links. */
export default function MarkdownContent({ children }: { readonly children: string }) {
  return elementsOf(parser.parse(children, {}));
}

interface Open {
  readonly token: Token | null;
  readonly children: ReactNode[];
}

function elementsOf(tokens: readonly Token[]): ReactNode {
  const root: Open = { token: null, children: [] };
  const open = [root];
  const add = (node: ReactNode) => open.at(-1)?.children.push(node);
  for (const token of tokens) {
    if (token.nesting === 1) open.push({ token, children: [] });
    else if (token.nesting === 0) add(leafOf(token));
    else {
      const closed = open.pop();
      if (closed?.token) add(blockOf(closed.token, closed.children));
    }
  }
  return createElement(Fragment, null, ...root.children);
}

function blockOf(token: Token, children: readonly ReactNode[]): ReactNode {
  // A paragraph of a list without space between its items.
  if (token.hidden) return createElement(Fragment, null, ...children);
  switch (token.type) {
    // The page has its own outline, which a heading of somebody else would break.
    case 'heading_open':
      return createElement('p', null, createElement('strong', null, ...children));
    case 'link_open':
      return createElement(
        'a',
        { href: token.attrGet('href'), target: '_blank', rel: 'noopener noreferrer' },
        ...children,
      );
    case 'ordered_list_open':
      return createElement('ol', { start: token.attrGet('start') ?? undefined }, ...children);
    default:
      return createElement(token.tag, null, ...children);
  }
}

function leafOf({ type, content, children }: Token): ReactNode {
  switch (type) {
    case 'inline':
      return elementsOf(children ?? []);
    case 'softbreak':
    case 'hardbreak':
      return createElement('br');
    case 'hr':
      return createElement('hr');
    case 'code_inline':
      return createElement('code', null, content);
    case 'fence':
    case 'code_block':
      return createElement('pre', null, createElement('code', null, content));
    default:
      return content;
  }
}
