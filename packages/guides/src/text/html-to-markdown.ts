import { textOf } from '../markdown/html.ts';

const languageNames: Readonly<Record<string, string>> = { py: 'python' };

interface Writer {
  readonly parts: string[];
  /** The marks of the open lists, the innermost last. */
  readonly lists: string[];
  /** The cells of the row that is being read; null outside tables. */
  cells: string[] | null;
  /** Where the text of the open cell or link starts. */
  readonly starts: number[];
  links: string[];
  isHeaderWritten: boolean;
}

/** Removes the white space at the end of the text, and returns it. */
function trimEnd(parts: string[]): string {
  let removed = '';
  for (let last = parts.pop(); last !== undefined; last = parts.pop()) {
    const kept = last.replace(/[ \n]+$/, '');
    removed = last.slice(kept.length) + removed;
    if (kept === '') continue;
    parts.push(kept);
    break;
  }
  return removed;
}

/** Ends the line, and leaves one empty line outside of lists. */
function breakBlock({ parts }: Writer): void {
  trimEnd(parts);
  if (parts.length > 0) parts.push('\n\n');
}

function takeSince(writer: Writer): string {
  const start = writer.starts.pop() ?? writer.parts.length;
  return writer.parts.splice(start).join('').trim();
}

function openList(writer: Writer, mark: string): void {
  if (writer.lists.length === 0) breakBlock(writer);
  writer.lists.push(mark);
}

function closeList(writer: Writer): void {
  writer.lists.pop();
  if (writer.lists.length === 0) breakBlock(writer);
}

function endRow(writer: Writer): void {
  const cells = writer.cells ?? [];
  writer.cells = null;
  writer.parts.push(`| ${cells.join(' | ')} |\n`);
  if (!writer.isHeaderWritten) writer.parts.push(`|${'---|'.repeat(cells.length)}\n`);
  writer.isHeaderWritten = true;
}

/** Appends text. White space at the beginning of a line would make it code. */
function writeText({ parts }: Writer, text: string): void {
  const isAtStart = parts.at(-1)?.endsWith('\n') ?? true;
  const written = isAtStart ? text.trimStart() : text;
  if (written !== '') parts.push(written);
}

/** Ends a cell. A line break or a `|` in it would end its row or begin another cell. */
function endCell(writer: Writer): void {
  writer.cells?.push(
    takeSince(writer)
      .replace(/\s*\n\s*/g, ' ')
      .replaceAll('|', '\\|'),
  );
}

type Handler = (writer: Writer, attributes: string) => void;

const opening: Readonly<Record<string, Handler>> = {
  h1: (writer) => {
    breakBlock(writer);
    writer.parts.push('# ');
  },
  h2: (writer) => {
    breakBlock(writer);
    writer.parts.push('## ');
  },
  h3: (writer) => {
    breakBlock(writer);
    writer.parts.push('### ');
  },
  ul: (writer) => openList(writer, '-'),
  ol: (writer) => openList(writer, '1.'),
  li: (writer) => {
    const removed = trimEnd(writer.parts);
    const isFirst = writer.lists.length === 1 && removed.endsWith('\n\n');
    const indent = '  '.repeat(Math.max(0, writer.lists.length - 1));
    writer.parts.push(isFirst ? '\n\n' : '\n', `${indent}${writer.lists.at(-1) ?? '-'} `);
  },
  table: (writer) => {
    breakBlock(writer);
    writer.isHeaderWritten = false;
  },
  tr: (writer) => {
    writer.cells = [];
  },
  blockquote: (writer, attributes) => {
    breakBlock(writer);
    writer.parts.push(`**${/data-title="([^"]+)"/.exec(attributes)?.[1] ?? 'Note'}:** `);
  },
  code: ({ parts }) => void parts.push('`'),
  strong: ({ parts }) => void parts.push('**'),
  th: ({ starts, parts }) => void starts.push(parts.length),
  td: ({ starts, parts }) => void starts.push(parts.length),
  a: (writer, attributes) => {
    writer.starts.push(writer.parts.length);
    writer.links.push(/href="([^"]+)"/.exec(attributes)?.[1] ?? '');
  },
};

const closing: Readonly<Record<string, Handler>> = {
  ul: closeList,
  ol: closeList,
  th: endCell,
  td: endCell,
  tr: endRow,
  table: breakBlock,
  code: ({ parts }) => void parts.push('`'),
  strong: ({ parts }) => void parts.push('**'),
  a: (writer) => {
    const text = takeSince(writer);
    writer.parts.push(`[${text}](${writer.links.pop()})`);
  },
};

/** Elements that begin or end a paragraph. In a list they stay in the line of their item. */
const blocks = new Set(['p', 'div', 'section', 'details', 'summary', 'h1', 'h2', 'h3', 'blockquote']);

function write(writer: Writer, token: string): void {
  const [, slash, name = '', attributes = ''] = /^<(\/?)(\w+)([^>]*)>$/.exec(token) ?? [];
  if (name === '') {
    writeText(writer, textOf(token).replace(/\s+/g, ' '));
    return;
  }
  const handler = (slash ? closing : opening)[name];
  if (handler !== undefined) handler(writer, attributes);
  else if (blocks.has(name) && writer.cells === null) {
    if (writer.lists.length === 0) breakBlock(writer);
    else writer.parts.push(' ');
  } else if (name === 'span') writeText(writer, ' ');
  if (slash && blocks.has(name) && name.startsWith('h')) breakBlock(writer);
}

/**
 * Returns the Markdown of HTML that this package made: its headings, lists, tables, links and blocks of code. Anchors,
 * buttons and the switches of tabs are left out; the name of a tab stands before its code.
 */
export function htmlToMarkdown(html: string): string {
  const codes: string[] = [];
  const prepared = html
    .replace(/<a class="anchor".*?<\/a>/gs, '')
    .replace(/<button.*?<\/button>/gs, '')
    .replace(/<input[^>]*>/g, '')
    .replace(/<label[^>]*>(.*?)<\/label>/gs, '<p><strong>$1</strong></p>')
    // The fence names the language.
    .replace(/<div class="code-head"><span>(?:Shell|TypeScript|Python|Go|JSON|HTTP|)<\/span><\/div>/g, '')
    .replace(/<div class="code-head"><span>(.*?)<\/span><\/div>/gs, '<p>$1:</p>')
    .replace(
      /<pre[^>]*><code class="language-(\w*)">(.*?)<\/code><\/pre>/gs,
      (_all, language: string, code: string) => {
        codes.push(`\`\`\`${languageNames[language] ?? language}\n${textOf(code)}\n\`\`\``);
        return `<p>\u0000${codes.length - 1}\u0000</p>`;
      },
    );
  const writer: Writer = { parts: [], lists: [], cells: null, starts: [], links: [], isHeaderWritten: false };
  for (const token of prepared.match(/<[^>]+>|[^<]+/g) ?? []) write(writer, token);
  return `${writer.parts
    .join('')
    .replace(/(\S) {2,}/g, '$1 ')
    .replace(/^( *- ) +/gm, '$1')
    .replace(/\u0000(\d+)\u0000/g, (_all, index: string) => codes[Number(index)] ?? '')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`;
}
