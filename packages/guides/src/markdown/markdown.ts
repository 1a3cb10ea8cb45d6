import markdownIt, { type Token } from 'markdown-it';
import { groupSnippets, readSnippet, type Snippet, type SnippetGroup } from '../snippets/snippet.ts';
import { snippetGroup } from './code-block.ts';
import { slugOf } from './html.ts';

/** Turns a link of a Markdown file into one of the site. */
export type ResolveLink = (href: string, inputPath: string) => string;

interface Environment {
  /** Eleventy's path of the page's Markdown file. */
  readonly page?: { readonly inputPath: string };
}

const calloutTitles = { NOTE: 'Note', TIP: 'Tip', WARNING: 'Warning' } as const;

/** Returns the parser and renderer of the guides' Markdown. */
export function createMarkdown(resolveLink: ResolveLink): markdownIt {
  const markdown = markdownIt({ html: true, linkify: false, typographer: false });
  markdown.core.ruler.push('snippets', ({ tokens }) => groupFences(tokens));
  markdown.core.ruler.push('anchors', ({ tokens }) => addAnchors(tokens));
  markdown.core.ruler.push('callouts', ({ tokens }) => markCallouts(tokens));
  markdown.core.ruler.push('links', ({ tokens, env }) => {
    const { page }: Environment = env;
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href !== null) token.attrSet('href', resolveLink(href, page?.inputPath ?? ''));
    }
  });
  markdown.renderer.rules['snippet_group'] = (tokens, index) => {
    const group: SnippetGroup | undefined = tokens[index]?.meta;
    return group === undefined ? '' : snippetGroup(group);
  };
  markdown.renderer.rules['heading_close'] = (tokens, index, options, _env, self) => {
    const id = tokens[index - 2]?.attrGet('id');
    const text = tokens[index - 1]?.content ?? '';
    const anchor =
      id == null ? '' : `<a class="anchor" href="#${id}" aria-label="Link to “${text.replace(/["`]/g, '')}”">#</a>`;
    return anchor + self.renderToken(tokens, index, options);
  };
  markdown.renderer.rules['table_open'] = () =>
    '<div class="table" tabindex="0" role="group" aria-label="Table"><table>';
  markdown.renderer.rules['table_close'] = () => '</table></div>';
  return markdown;
}

/** Returns the snippets of a page, in order. */
export function snippetGroupsOf(markdown: markdownIt, text: string): SnippetGroup[] {
  const tokens = markdown.parse(text, {});
  return tokens.flatMap(({ type, meta }): SnippetGroup[] => (type === 'snippet_group' ? [meta] : []));
}

/** Replaces fences by groups of snippets. */
function groupFences(tokens: Token[]): void {
  const replaced: Token[] = [];
  let pending: Snippet[] = [];
  let fence: Token | undefined;
  const flush = () => {
    for (const group of groupSnippets(pending)) {
      const token = Object.assign(Object.create(Object.getPrototypeOf(fence)), fence);
      replaced.push(Object.assign(token, { type: 'snippet_group', tag: '', meta: group }));
    }
    pending = [];
  };
  for (const token of tokens) {
    if (token.type === 'fence') {
      fence = token;
      pending.push(readSnippet({ info: token.info, code: token.content, line: (token.map?.[0] ?? 0) + 1 }));
      continue;
    }
    flush();
    replaced.push(token);
  }
  flush();
  tokens.splice(0, tokens.length, ...replaced);
}

function addAnchors(tokens: Token[]): void {
  const used = new Set<string>();
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open' || token.tag === 'h1') continue;
    const id = slugOf(tokens[index + 1]?.content ?? '');
    if (used.has(id))
      throw new Error(`Line ${(token.map?.[0] ?? 0) + 1}: two headings of the page have the anchor ${id}.`);
    used.add(id);
    token.attrSet('id', id);
    token.attrSet('tabindex', '-1');
  }
}

/** A quotation that starts with `[!NOTE]`, `[!TIP]` or `[!WARNING]` becomes a callout, as GitHub shows it. */
function markCallouts(tokens: Token[]): void {
  for (const [index, token] of tokens.entries()) {
    const inline = tokens[index + 2];
    if (token.type !== 'blockquote_open' || inline?.type !== 'inline') continue;
    const found = /^\[!(NOTE|TIP|WARNING)\]\s*/.exec(inline.content);
    const kind = found?.[1] as keyof typeof calloutTitles | undefined;
    if (kind === undefined) continue;
    token.attrSet('class', `callout callout-${kind.toLowerCase()}`);
    token.attrSet('data-title', calloutTitles[kind]);
    const children = inline.children ?? [];
    children.splice(0, children[1]?.type === 'softbreak' ? 2 : 1);
    inline.children = children;
  }
}
