import { parseSync } from 'rolldown/utils';
import type { SourceFile } from './source-files.ts';

/** A text of a source that a person may read. */
export interface Text {
  /** The file and the line. */
  readonly at: string;
  readonly text: string;
}

/** A node of the syntax tree: its fields depend on its type. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** A text with two words or a capital letter at its start is for people. A code, a path or a field is not. */
const isForPeople = (text: string) => /\S\s+\S/.test(text) || /^\s*\p{Lu}\p{Ll}/u.test(text);

/** A column of a query with its alias. */
const isColumn = (text: string) => /^[\w.]+ as \w+$/.test(text);

/** Returns the text of a node: of a literal, of a template without its values, or between two tags. */
function textOf(node: Node): string | undefined {
  if ((node.type === 'Literal' || node.type === 'JSXText') && typeof node['value'] === 'string') return node['value'];
  if (node.type !== 'TemplateLiteral') return undefined;
  return (node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('…');
}

/** Properties whose texts are the OpenAPI document, or words that the search finds and does not show. */
const unreadProperties = new Set(['summary', 'description', 'keywords']);

/** Names of modules, types, tagged templates such as `sql`, and descriptions of schemas: no person reads them on a screen. */
function isUnread(node: Node, isDocument: boolean): boolean {
  if (/^(?:Import|ExportAll|TaggedTemplate|TS(?!As|Satisfies|NonNull))/.test(node.type)) return true;
  const key = node.type === 'Property' ? (node['key'] as { name?: string }).name : undefined;
  return key === 'keywords' || (isDocument && unreadProperties.has(key ?? ''));
}

/** Returns the texts of a source that a person may read. `isDocument`: its descriptions are the API's reference. */
export function textsOf({ path, text }: SourceFile, { isDocument }: { readonly isDocument: boolean }): Text[] {
  const found: Text[] = [];
  const visit = (node: Node): void => {
    if (isUnread(node, isDocument)) return;
    const own = textOf(node);
    if (own !== undefined && isForPeople(own) && !isColumn(own)) {
      const line = text.slice(0, node.start).split('\n').length;
      found.push({ at: `${path}:${line}`, text: own.replace(/\s+/g, ' ').trim() });
    }
    for (const value of Object.values(node).flat()) if (isNode(value)) visit(value);
  };
  visit(parseSync(path, text).program as unknown as Node);
  return found;
}

/** Returns the prose of a page in Markdown, line by line: without code, addresses and codes of errors. */
export function proseOf({ path, text }: SourceFile): Text[] {
  const blank = (part: string) => part.replace(/[^\n]+/g, '');
  const prose = text
    .replace(/^(`{3,}).*?^\1/gms, blank)
    .replace(/`[^`\n]*`/g, '…')
    .replace(/\]\([^)\n]*\)/g, ']')
    .replace(/\b[A-Z_]+\.[A-Z_]+\b/g, '…');
  return prose.split('\n').map((line, index) => ({ at: `${path}:${index + 1}`, text: line }));
}
