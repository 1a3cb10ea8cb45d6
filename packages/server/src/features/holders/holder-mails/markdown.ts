import type { Token } from 'markdown-it';
import { createParser, isSafeTarget } from '../../../mail/safe-markdown.ts';
import { toPlainText } from './plain-text.ts';
import type { VariableValues } from './variables.ts';

// The library parses the Markdown of a template. Values are put into its tokens, never into the Markdown, so that no
// value is read as Markdown or as HTML.

/** Its name has spaces around it, which a lazy part of the expression would try in cubic time. */
const variable = /\{\{([^{}]*)\}\}/g;
const onlyVariable = /^\{\{\w+\}\}$/;

/** Which variables are addresses of pages. */
export type IsUrl = (name: string) => boolean;

const parser = createParser((target) => isSafeTarget(target) || onlyVariable.test(target));
/** Shows text as HTML. It only renders tokens, whose links are checked already. */
const { renderer, options } = parser;

/** Returns the Markdown with the variables in the spelling without spaces, in which they can be the target of a link. */
function normalised(markdown: string): string {
  return markdown.replace(variable, (_all, name: string) => `{{${name.trim()}}}`);
}

/** Returns the targets of links in a template that a mail must not have. They would be shown as text. */
export function unsafeTargets(markdown: string, isUrl: IsUrl): string[] {
  const unsafe: string[] = [];
  const collecting = createParser((target) => {
    const isSafe = isSafeTarget(target) || (onlyVariable.test(target) && isUrl(target.slice(2, -2)));
    if (!isSafe) unsafe.push(target);
    return isSafe;
  });
  collecting.parse(normalised(markdown), {});
  return [...new Set(unsafe)];
}

/** Returns the names of the variables in a text, in order. */
export function variableNames(text: string): string[] {
  return [...text.matchAll(variable)].map(([, name = '']) => name.trim());
}

/** Returns a text without its variables. A `{{` in the rest was not closed. */
export function withoutVariables(text: string): string {
  return text.replace(variable, '');
}

/** Puts values into a text of one line. A variable without a value leaves nothing. */
export function fillLine(text: string, values: VariableValues): string {
  return oneLine(fill(text, values));
}

/** Returns a text as one line, without control characters. */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
}

function fill(text: string, values: VariableValues): string {
  return text.replace(variable, (_all, name: string) => values[name.trim()] ?? '');
}

/** A body with its values, as HTML without a frame and as plain text. */
export interface RenderedBody {
  readonly html: string;
  readonly text: string;
}

/**
 * Renders the body of a template. A paragraph, heading or list item with a variable that has no value is left out. A
 * paragraph of one link becomes a button, and one of one piece of code a box, in the classes `button` and `box`.
 */
export function renderBody(
  markdown: string,
  values: VariableValues,
  { isUrl, buttonStyle }: { readonly isUrl: IsUrl; readonly buttonStyle: string },
): RenderedBody {
  const tokens = withoutEmptyBlocks(parser.parse(normalised(markdown), {}).filter(hasValues(values)));
  for (const token of tokens) fillToken(token, values, isUrl);
  const text = toPlainText(tokens);
  for (const [index, token] of tokens.entries()) style(token, tokens[index - 1], buttonStyle);
  return { html: renderer.render(tokens, options, {}), text };
}

/** Returns a filter of tokens whose variables all have a value. An emptied paragraph is removed afterwards. */
function hasValues(values: VariableValues): (token: Token) => boolean {
  const isComplete = (text: string) => variableNames(text).every((name) => values[name] !== undefined);
  return ({ content }) => isComplete(content);
}

/** Removes blocks that have lost their content, and then the blocks that contained only those. */
function withoutEmptyBlocks(tokens: readonly Token[]): Token[] {
  const kept: Token[] = [];
  for (const token of tokens) {
    const last = kept.at(-1);
    if (token.nesting === -1 && last?.nesting === 1) kept.pop();
    else kept.push(token);
  }
  return kept;
}

function fillToken(token: Token, values: VariableValues, isUrl: IsUrl): void {
  if (token.type === 'fence' || token.type === 'code_block') token.content = fill(token.content, values);
  if (token.children === null) return;
  let inLink = 0;
  token.children = token.children.flatMap((child) => {
    inLink += child.type === 'link_open' ? 1 : child.type === 'link_close' ? -1 : 0;
    if (child.type === 'link_open') child.attrSet('href', targetOf(String(child.attrGet('href') ?? ''), values));
    if (child.type === 'text' && inLink === 0) return linked(child, values, isUrl);
    if (child.content !== '') child.content = fill(child.content, values);
    return [child];
  });
}

/** Returns the target of a link. A value that is only a part of it cannot change the host or add parameters. */
function targetOf(target: string, values: VariableValues): string {
  if (onlyVariable.test(target)) return fill(target, values);
  const encoded = (name: string) => encodeURIComponent(visible(values[name] ?? '')).replaceAll('%40', '@');
  return target.replace(variable, (_all, name: string) => encoded(name.trim()));
}

/** A value that is shown has invisible characters, which a target must not have. */
const visible = (value: string) => value.replaceAll('\u2060', '');

/** The value is an address of mail. */
const mailVariable = 'support_email';

/** Returns a text with its values. The address of a page and that of support become links. */
function linked(token: Token, values: VariableValues, isUrl: IsUrl): Token[] {
  const tokens: Token[] = [];
  const add = (type: string, tag: string, nesting: -1 | 0 | 1, content = '') => {
    const added = new TokenOf(type, tag, nesting);
    added.content = content;
    tokens.push(added);
    return added;
  };
  let end = 0;
  for (const match of token.content.matchAll(variable)) {
    const [all, spaced = ''] = match;
    const name = spaced.trim();
    if (!isUrl(name) && name !== mailVariable) continue;
    const value = targetOf(`{{${name}}}`, values);
    add('text', '', 0, fill(token.content.slice(end, match.index), values));
    add('link_open', 'a', 1).attrSet('href', name === mailVariable ? `mailto:${value}` : value);
    add('text', '', 0, value);
    add('link_close', 'a', -1);
    end = match.index + all.length;
  }
  add('text', '', 0, fill(token.content.slice(end), values));
  return tokens;
}

const TokenOf = parser.core.State.prototype.Token;

const styles: Readonly<Record<string, string>> = {
  paragraph_open: 'margin:0 0 16px;font-size:15px;line-height:24px',
  bullet_list_open: 'margin:0 0 16px;padding:0 0 0 20px;font-size:15px;line-height:24px',
  ordered_list_open: 'margin:0 0 16px;padding:0 0 0 20px;font-size:15px;line-height:24px',
  list_item_open: 'margin:0 0 4px',
  blockquote_open: 'margin:0 0 16px;padding:0 0 0 16px;border-left:3px solid #cbd2d9',
  hr: 'margin:24px 0;border:0;border-top:1px solid #cbd2d9',
  heading_open: 'margin:24px 0 12px;font-size:17px;line-height:24px',
};
/** An address continues on the next line only if it is longer than a line. */
const unbroken = 'display:inline-block;max-width:100%';
const monospace = "font-family:ui-monospace,'SF Mono',Menlo,Consolas,monospace";

/** Gives a block its styles, inline because many mail programs drop style sheets. Classes serve the dark scheme. */
function style(token: Token, before: Token | undefined, buttonStyle: string): void {
  const css = styles[token.type];
  if (css !== undefined) token.attrSet('style', css);
  const children = token.children ?? [];
  for (const [index, child] of children.entries()) {
    if (child.type === 'link_open') setLook(child, 'link', linkCss(child, children[index + 1]));
    if (child.type === 'code_inline') setLook(child, 'code', `${monospace};word-break:break-word`);
  }
  const [first, label, last] = children;
  if (before?.type !== 'paragraph_open' || before.hidden) return;
  if (children.length === 1 && first?.type === 'code_inline') {
    const box = 'padding:12px 16px;border:1px solid #d9dee4;border-radius:8px;background:#f4f5f7';
    before.attrSet('style', `${styles['paragraph_open']};${box}`);
    before.attrSet('class', 'box');
    setLook(first, 'code', `${monospace};font-size:16px;letter-spacing:.02em;word-break:break-word`);
  }
  const isLabelled = label?.type === 'text' && label.content !== first?.attrGet('href');
  if (children.length === 3 && first?.type === 'link_open' && last?.type === 'link_close' && isLabelled) {
    before.attrSet('style', 'margin:24px 0');
    setLook(first, 'button', buttonStyle);
  }
}

function linkCss(link: Token, label: Token | undefined): string {
  const isAddress = String(link.attrGet('href')).replace(/^mailto:/, '') === label?.content;
  return `color:#3346b0;word-break:break-word${isAddress ? `;${unbroken}` : ''}`;
}

function setLook(token: Token, name: string, css: string): void {
  token.attrSet('class', name);
  token.attrSet('style', css);
}
