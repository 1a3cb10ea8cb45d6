import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Keyring } from '../../lib/keyring.ts';
import {
  type Header,
  isSignedBy,
  lineBytesMax,
  parseHeader,
  parseTableLine,
  parseTrailer,
  refusal,
  type TableLine,
  type Trailer,
  trailerStart,
} from './format.ts';

const chunkBytes = 64 * 1024;
const lineFeed = 0x0a;

/** The callbacks of `readArchive`, called in the order of the archive. */
export interface ArchiveVisitor {
  readonly onHeader?: (header: Header) => Promise<void> | void;
  readonly onTable?: (line: TableLine) => void;
  /** Lines of the most recent table. Each starts with `[`; whether it is a valid JSON array is not yet checked. */
  readonly onRows?: (lines: readonly string[]) => Promise<void>;
  readonly onProgress?: (rows: number, bytes: number) => void;
}

/** A completely read archive with a verified digest, signature and row counts. */
export interface ReadArchive {
  readonly header: Header;
  readonly trailer: Trailer;
  readonly rows: number;
}

/**
 * Reads an archive in bounded memory. The archive is verified only when this returns, so the caller must be able to
 * undo the visitor's effects. Throws an error with one sentence about the problem of the file.
 */
export async function readArchive(file: string, keyring: Keyring, visitor: ArchiveVisitor = {}): Promise<ReadArchive> {
  const reading = new Reading(file, keyring, visitor);
  try {
    await pipeline(
      createReadStream(file, { highWaterMark: chunkBytes }),
      createGunzip({ chunkSize: chunkBytes }),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) await reading.add(chunk);
      },
    );
  } catch (error) {
    throw explained(file, error);
  }
  return reading.finish();
}

/** As `readArchive`, for an archive that `ArchiveWriter.stream` writes to a stream. A failure destroys the stream. */
export async function readStreamedArchive(
  stream: Readable,
  keyring: Keyring,
  visitor: ArchiveVisitor,
): Promise<ReadArchive> {
  const reading = new Reading('The copy', keyring, visitor);
  await pipeline(stream, async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) await reading.add(chunk);
  });
  return reading.finish();
}

function explained(file: string, error: unknown): unknown {
  const code = error instanceof Error ? String(Reflect.get(error, 'code') ?? '') : '';
  if (code.startsWith('Z_'))
    return refusal(file, 'is not an archive of this service, or is damaged or cut off: use another copy.');
  if (code === 'ENOENT') return refusal(file, 'does not exist: check the path.');
  if (code === 'EISDIR') return refusal(file, 'is a folder: specify an archive file.');
  return error;
}

class Reading {
  readonly #file: string;
  readonly #keyring: Keyring;
  readonly #visitor: ArchiveVisitor;
  readonly #hash = createHash('sha256');
  readonly #counts: Record<string, number> = Object.create(null);
  /** The start of a line whose end is in a later chunk. */
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #header: Header | undefined;
  #table: string | undefined;
  #trailer: Trailer | undefined;

  constructor(file: string, keyring: Keyring, visitor: ArchiveVisitor) {
    this.#file = file;
    this.#keyring = keyring;
    this.#visitor = visitor;
  }

  async add(chunk: Buffer): Promise<void> {
    const end = chunk.lastIndexOf(lineFeed) + 1;
    if (end > 0) {
      const lines = Buffer.concat([...this.#pieces, chunk.subarray(0, end)]);
      this.#pieces = [];
      this.#pieceBytes = 0;
      await this.#addLines(lines);
    }
    if (end === chunk.length) return;
    this.#pieces.push(chunk.subarray(end));
    this.#pieceBytes += chunk.length - end;
    if (this.#pieceBytes > lineBytesMax)
      throw refusal(this.#file, 'has a line that is too long for an archive of this service: use another copy.');
  }

  async #addLines(bytes: Buffer): Promise<void> {
    if (this.#trailer !== undefined) throw this.#damaged('it continues after its end');
    const text = bytes.toString('utf8');
    const endAt = text.startsWith(trailerStart) ? 0 : text.indexOf(`\n${trailerStart}`) + 1;
    const hasEnd = endAt > 0 || text.startsWith(trailerStart);
    const content = hasEnd ? text.slice(0, endAt) : text;
    this.#hash.update(hasEnd ? Buffer.from(content) : bytes);
    let rows: string[] = [];
    for (const line of content.split('\n')) {
      if (line.startsWith('[')) rows.push(line);
      else if (line !== '') {
        await this.#addRows(rows);
        rows = [];
        await this.#addControl(line);
      }
    }
    await this.#addRows(rows);
    this.#visitor.onProgress?.(0, bytes.length);
    if (hasEnd) this.#addTrailer(text.slice(endAt));
  }

  async #addRows(rows: readonly string[]): Promise<void> {
    if (rows.length === 0) return;
    if (this.#table === undefined) throw this.#damaged('rows appear before the name of their table');
    this.#counts[this.#table] = (this.#counts[this.#table] ?? 0) + rows.length;
    await this.#visitor.onRows?.(rows);
    this.#visitor.onProgress?.(rows.length, 0);
  }

  async #addControl(line: string): Promise<void> {
    if (this.#header === undefined) {
      this.#header = parseHeader(this.#file, line, this.#keyring);
      await this.#visitor.onHeader?.(this.#header);
      return;
    }
    const named = parseTableLine(this.#file, line);
    if (this.#counts[named.table] !== undefined) throw this.#damaged(`it has the table ${named.table} twice`);
    this.#counts[named.table] = 0;
    this.#table = named.table;
    this.#visitor.onTable?.(named);
  }

  #addTrailer(text: string): void {
    const [line = '', ...rest] = text.split('\n');
    if (rest.join('') !== '') throw this.#damaged('it continues after its end');
    this.#trailer = parseTrailer(this.#file, line);
  }

  finish(): ReadArchive {
    const [header, trailer] = [this.#header, this.#trailer];
    if (this.#pieceBytes > 0 || header === undefined || trailer === undefined) {
      throw refusal(
        this.#file,
        'is not an archive of this service, or is cut off: its end is missing. Use another copy.',
      );
    }
    const sha256 = this.#hash.digest('hex');
    if (sha256 !== trailer.sha256) throw this.#damaged('its checksum is wrong');
    if (!isSignedBy(this.#keyring, header.archive, sha256, trailer.signature)) {
      throw this.#damaged('its signature was not made with this application key');
    }
    const tables = new Set([...Object.keys(trailer.rows), ...Object.keys(this.#counts)]);
    for (const table of tables) {
      if (this.#counts[table] !== trailer.rows[table]) throw this.#damaged(`the number of rows of ${table} is wrong`);
    }
    const rows = Object.values(this.#counts).reduce((total, count) => total + count, 0);
    return { header, trailer, rows };
  }

  #damaged(what: string): Error {
    return refusal(this.#file, `is damaged or was altered: ${what}. Use another copy.`);
  }
}
