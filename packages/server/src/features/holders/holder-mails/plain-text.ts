import type { Token } from 'markdown-it';

interface OpenList {
  readonly isOrdered: boolean;
  /** The number of the last item. */
  count: number;
}

/** Writes the blocks of parsed Markdown as plain text. */
class PlainText {
  readonly #blocks: string[] = [];
  readonly #lists: OpenList[] = [];
  /** The marker of a list item whose text has not been written yet. */
  #marker: string | undefined;
  /** True if the last block is an item of a list that is still open. */
  #followsItem = false;
  #quotes = 0;

  write(token: Token): void {
    const { type } = token;
    if (type.endsWith('_list_open')) this.#lists.push(listOf(token));
    else if (type.endsWith('_list_close')) this.#closeList();
    else if (type === 'list_item_open') this.#marker = nextMarker(this.#lists.at(-1));
    else if (type.startsWith('blockquote')) this.#quotes += token.nesting;
    const text = textOf(token);
    if (text !== undefined) this.#add(text);
  }

  #closeList(): void {
    this.#lists.pop();
    if (this.#lists.length === 0) this.#followsItem = false;
  }

  /** Items of a list follow each other without an empty line. */
  #add(text: string): void {
    const isItem = this.#marker !== undefined;
    const indent = '  '.repeat(Math.max(this.#lists.length - 1, 0));
    const start = this.#lists.length === 0 ? '' : indent + (this.#marker ?? '  ');
    const lines = text.split('\n').map((line, at) => (at === 0 ? start : ' '.repeat(start.length)) + line);
    const block = lines.map((line) => '> '.repeat(this.#quotes) + line).join('\n');
    if (isItem && this.#followsItem) this.#blocks.push(`${this.#blocks.pop()}\n${block}`);
    else this.#blocks.push(block);
    this.#followsItem = this.#lists.length > 0;
    this.#marker = undefined;
  }

  toString(): string {
    return this.#blocks.join('\n\n');
  }
}

/** Returns the plain text of parsed Markdown. */
export function toPlainText(tokens: readonly Token[]): string {
  const text = new PlainText();
  for (const token of tokens) text.write(token);
  return text.toString();
}

function listOf(token: Token): OpenList {
  return { isOrdered: token.type === 'ordered_list_open', count: Number(token.attrGet('start') ?? 1) - 1 };
}

function nextMarker(list: OpenList | undefined): string {
  if (list === undefined || !list.isOrdered) return '- ';
  list.count += 1;
  return `${list.count}. `;
}

/** Returns the text of a block; undefined for the beginning or the end of one. */
function textOf(token: Token): string | undefined {
  if (token.type === 'fence' || token.type === 'code_block') return token.content.trimEnd();
  if (token.type === 'hr') return '---';
  return token.type === 'inline' ? inlineText(token.children ?? []) : undefined;
}

/** A link has its address after its label, unless the label is the address. */
function inlineText(children: readonly Token[]): string {
  let text = '';
  let link = { target: '', start: 0 };
  for (const child of children) {
    if (child.type === 'link_open') link = { target: String(child.attrGet('href') ?? ''), start: text.length };
    else if (child.type === 'link_close') text += addressAfter(text.slice(link.start), link.target);
    else text += child.type.endsWith('break') ? '\n' : child.content;
  }
  return text;
}

function addressAfter(label: string, target: string): string {
  return label === target || target === `mailto:${label}` ? '' : `: ${target}`;
}
