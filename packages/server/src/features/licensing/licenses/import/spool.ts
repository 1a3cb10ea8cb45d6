import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '../../../../lib/ids.ts';
import { makeFolder } from '../../../../lib/make-folder.ts';
import type { StoredStatus } from '../license-status.ts';
import type { LicenseFields } from './schemas.ts';

/** A valid row. */
export interface SpooledRow {
  readonly row: number;
  readonly policyId: string;
  readonly status: StoredStatus;
  readonly fields: LicenseFields;
}

/** A row as JSON. JSON contains no line feeds. */
type Line = readonly [row: number, policyId: string, status: StoredStatus, fields: LicenseFields];

const blockBytes = 256 * 1024;
const newline = 0x0a;
/** A batch takes a few milliseconds, which is the longest that it delays other requests. */
const batchRows = 128;

/**
 * The valid rows of a file, stored on disk so that memory holds only one block of 256 KiB. The file is unlinked
 * immediately after it is opened: no other process can open it, and nothing is left behind if the process crashes.
 *
 * All I/O is synchronous, because a transaction must await nothing but its database. Blocks are read from the page
 * cache.
 */
export class Spool implements Disposable {
  readonly #file: number;
  #waiting: string[] = [];
  #waitingLength = 0;
  rows = 0;

  constructor(dataDir: string) {
    const folder = join(dataDir, 'tmp');
    makeFolder(folder);
    const path = join(folder, `import-${newId()}`);
    this.#file = openSync(path, 'wx+', 0o600);
    rmSync(path);
  }

  /** Appends a row. */
  add(row: SpooledRow): void {
    const line = writeLine(row);
    this.#waiting.push(line);
    this.#waitingLength += line.length;
    this.rows += 1;
    if (this.#waitingLength > blockBytes) this.#flush();
  }

  #flush(): void {
    if (this.#waiting.length === 0) return;
    let bytes = Buffer.from(`${this.#waiting.join('\n')}\n`);
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(this.#file, bytes));
    this.#waiting = [];
    this.#waitingLength = 0;
  }

  /**
   * Yields the rows in order as texts for `readBatch`, each of at most 128 rows and little more than 256 KiB unless a row is
   * longer. Can be called repeatedly; each call starts at the first row.
   */
  *texts(): Generator<string> {
    this.#flush();
    let lines: string[] = [];
    let length = 0;
    for (const line of this.#lines()) {
      lines.push(line);
      length += line.length;
      if (lines.length < batchRows && length < blockBytes) continue;
      yield lines.join('\n');
      lines = [];
      length = 0;
    }
    if (lines.length > 0) yield lines.join('\n');
  }

  /** Yields the rows in order, in the batches of `texts`. */
  *batches(): Generator<SpooledRow[]> {
    for (const text of this.texts()) yield readBatch(text);
  }

  *#lines(): Generator<string> {
    let carried = Buffer.alloc(0);
    let position = 0;
    for (;;) {
      const block = Buffer.alloc(blockBytes);
      const length = readSync(this.#file, block, 0, blockBytes, position);
      if (length === 0) return;
      position += length;
      const bytes = Buffer.concat([carried, block.subarray(0, length)]);
      const end = bytes.lastIndexOf(newline);
      carried = bytes.subarray(end + 1);
      if (end !== -1) yield* bytes.toString('utf8', 0, end).split('\n');
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

function writeLine({ row, policyId, status, fields }: SpooledRow): string {
  return JSON.stringify([row, policyId, status, fields] satisfies Line);
}

/** Returns rows as a text for `readBatch`. */
export function writeBatch(rows: readonly SpooledRow[]): string {
  return rows.map(writeLine).join('\n');
}

/** Returns the rows of a text. */
export function readBatch(text: string): SpooledRow[] {
  return text.split('\n').map((line) => {
    const [row, policyId, status, fields] = JSON.parse(line) as Line;
    return { row, policyId, status, fields };
  });
}
