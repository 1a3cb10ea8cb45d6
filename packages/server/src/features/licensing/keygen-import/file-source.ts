import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openScratch } from '../../../db/sqlite/scratch.ts';
import { type KeygenSource, type Page, parseDocument, relatedId } from './resource.ts';

const blockBytes = 256 * 1024;
const documentMaxBytes = 64 * 1024 * 1024;
const newline = 0x0a;

/** A page document: its place in a file. */
interface Place {
  readonly offset: number;
  readonly length: number;
}

/**
 * Opens saved pages: a file of NDJSON with one page document per line, a `.json` file with a single one, or a folder of
 * such files, which are read in the order of their names. A page is the body of a response of Keygen to a list. The
 * pages can be in any order. Throws an `Error` with the number of the first invalid line.
 */
export function openFileSource(path: string): KeygenSource {
  const files = filesOf(path);
  // An empty name is a temporary database on disk, which SQLite removes.
  const index = openScratch('');
  index.script(`create table pages (path text not null, number integer not null, file integer not null,
    position integer not null, length integer not null, resources integer not null, primary key (path, number))
    without rowid; begin`);
  const insert = `insert into pages (path, number, file, position, length, resources)
    select ?1, coalesce(max(number) + 1, 0), ?2, ?3, ?4, ?5 from pages where path = ?1`;
  let account: string | null = null;
  for (const [number, file] of files.entries()) {
    readDocuments(file, ({ offset, length }, text, line) => {
      const page = parsePage(text, file, line);
      const [first] = page.resources;
      const owner = first === undefined ? null : relatedId(first, 'account');
      if (owner !== null && account !== null && owner !== account)
        throw new Error(`${file} has pages of two accounts (line ${line}). Import each account by itself.`);
      account ??= owner;
      const collection = collectionOf(page);
      if (collection === null) return;
      index.run(insert, collection, number, offset, length, page.resources.length);
    });
  }
  index.script('commit');
  if (account === null) throw new Error(`${path} has no page with resources of an account. Check --from.`);
  const place = 'select file, position, length from pages where path = ? and number = ?';
  const handles = files.map((file) => openSync(file, 'r'));

  return {
    name: `keygen:${account}`,
    isLive: false,
    async page(collection, position) {
      const number = position === null ? 0 : Number(position);
      const found = index.get(place, collection, number);
      if (found === undefined) return null;
      const text = readAt(handles[Number(found['file'])] ?? -1, Number(found['position']), Number(found['length']));
      const hasNext = index.get(place, collection, number + 1) !== undefined;
      return { ...parseDocument(text), next: hasNext ? String(number + 1) : null };
    },
    async count(collection) {
      const count =
        index.get('select sum(resources) as count from pages where path = ?', collection)?.['count'] ?? null;
      return count === null ? null : Number(count);
    },
    close() {
      for (const handle of handles) closeSync(handle);
      index.close();
    },
  };
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => /\.(ndjson|jsonl|json)$/.test(name));
  if (names.length === 0) throw new Error(`${path} contains no file that ends in .ndjson, .jsonl or .json.`);
  return names.sort().map((name) => join(path, name));
}

/** Returns the collection of a page: from its own link if it belongs to one license or policy, else from its resources. */
function collectionOf({ self, resources }: Page): string | null {
  const nested = /\/((?:licenses|policies)\/[^/?]+\/entitlements)(?:\?|$)/.exec(self ?? '')?.[1];
  return nested ?? resources[0]?.type ?? null;
}

function parsePage(text: string, file: string, line: number): Page {
  try {
    return parseDocument(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Line ${line} of ${basename(file)} is not a page of Keygen's API: ${reason}.`, { cause: error });
  }
}

type TakeDocument = (place: Place, text: string, line: number) => void;

/** Calls `take` with every document of a file. Memory holds one document. */
function readDocuments(file: string, take: TakeDocument): void {
  const handle = openSync(file, 'r');
  try {
    if (file.endsWith('.json')) {
      const length = statSync(file).size;
      if (length > documentMaxBytes) throw tooLong(file, 1);
      take({ offset: 0, length }, readAt(handle, 0, length), 1);
    } else readLines(handle, file, take);
  } finally {
    closeSync(handle);
  }
}

function readLines(handle: number, file: string, take: TakeDocument): void {
  const block = Buffer.alloc(blockBytes);
  let parts: Buffer[] = [];
  let start = 0;
  let position = 0;
  let line = 1;
  const finish = (end: number) => {
    const text = Buffer.concat(parts).toString('utf8');
    if (text.trim() !== '') take({ offset: start, length: end - start }, text, line);
    parts = [];
    start = end + 1;
    line += 1;
  };
  for (;;) {
    const length = readSync(handle, block, 0, blockBytes, position);
    if (length === 0) break;
    let from = 0;
    for (let at = block.indexOf(newline); at !== -1 && at < length; at = block.indexOf(newline, from)) {
      parts.push(Buffer.from(block.subarray(from, at)));
      finish(position + at);
      from = at + 1;
    }
    if (from < length) parts.push(Buffer.from(block.subarray(from, length)));
    position += length;
    if (position - start > documentMaxBytes) throw tooLong(file, line);
  }
  finish(position);
}

function tooLong(file: string, line: number): Error {
  return new Error(`Line ${line} of ${basename(file)} is longer than 64 MiB. Save one page of the API per line.`);
}

function readAt(handle: number, offset: number, length: number): string {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const more = readSync(handle, bytes, read, length - read, offset + read);
    if (more === 0) throw new Error('A file of --from was shortened during the import. Run the command again.');
    read += more;
  }
  return bytes.toString('utf8');
}
