import { createHash, type Hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import type { Snapshot } from '../../db/copy/copy.ts';
import type { Keyring } from '../../lib/keyring.ts';
import { type Header, lineBytesMax, refusal, signatureOf, type TableLine, type Trailer } from './format.ts';

/** Most of what a higher level gains costs more time than the database takes to read. */
const compressionLevel = 1;
const chunkBytes = 64 * 1024;

/** What was written. */
export interface WrittenArchive {
  readonly sha256: string;
  readonly rows: number;
  /** Of the file. */
  readonly bytes: number;
}

/** Writes one archive. Nothing is under the file's name before all of it is on the disk. */
export class ArchiveWriter {
  readonly #file: string;
  readonly #temporary: string;
  readonly #handle: FileHandle;
  readonly #gzip: Gzip = createGzip({ level: compressionLevel, chunkSize: chunkBytes });
  readonly #written: Promise<void>;
  readonly #hash: Hash = createHash('sha256');
  readonly #rows: Record<string, number> = {};
  readonly #keyring: Keyring;
  #kind = '';

  private constructor(file: string, temporary: string, handle: FileHandle, keyring: Keyring) {
    this.#file = file;
    this.#temporary = temporary;
    this.#handle = handle;
    this.#keyring = keyring;
    this.#written = pipeline(this.#gzip, async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) await handle.writeFile(chunk);
    });
    this.#written.catch(() => undefined);
  }

  /**
   * Runs `work`, then completes the archive; when it fails, no file is left. Readable by its owner only. Throws when
   * the file exists already.
   */
  static async write(
    file: string,
    keyring: Keyring,
    work: (writer: ArchiveWriter) => Promise<void>,
  ): Promise<WrittenArchive> {
    if ((await stat(file).catch(() => undefined)) !== undefined) {
      throw refusal(file, 'exists already: choose another name, or remove it.');
    }
    const temporary = `${file}.${randomBytes(4).toString('hex')}.partial`;
    const handle = await open(temporary, 'wx', 0o600);
    const writer = new ArchiveWriter(file, temporary, handle, keyring);
    try {
      await work(writer);
      return await writer.#finish();
    } catch (error) {
      writer.#gzip.destroy();
      await writer.#written.catch(() => undefined);
      await handle.close().catch(() => undefined);
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async header(header: Header): Promise<void> {
    this.#kind = header.archive;
    await this.#lines(`${JSON.stringify(header)}\n`);
  }

  /** Writes a table's line and all of its rows, each the text of a JSON array. */
  async table(
    { table, columns }: TableLine,
    batches: ReturnType<Snapshot['rows']>,
    onRows: (rows: number, bytes: number) => void,
  ): Promise<void> {
    await this.#lines(`${JSON.stringify({ table, columns })}\n`);
    this.#rows[table] = 0;
    for await (const batch of batches) {
      for (const row of batch) {
        if (row.length > lineBytesMax / 4) this.#assertShort(table, row);
      }
      const text = `${batch.join('\n')}\n`;
      await this.#lines(text);
      this.#rows[table] += batch.length;
      onRows(batch.length, text.length);
    }
  }

  #assertShort(table: string, row: string): void {
    if (Buffer.byteLength(row) < lineBytesMax) return;
    throw new Error(`A row of ${table} is longer than ${lineBytesMax} bytes, which no archive holds.`);
  }

  async #lines(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    this.#hash.update(bytes);
    await this.#write(bytes);
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#gzip.write(bytes)) return;
    // A file that cannot be written never drains.
    await Promise.race([once(this.#gzip, 'drain'), this.#written]);
  }

  async #finish(): Promise<WrittenArchive> {
    const sha256 = this.#hash.digest('hex');
    const end: Trailer = { rows: this.#rows, sha256, signature: signatureOf(this.#keyring, this.#kind, sha256) };
    await this.#write(Buffer.from(`${JSON.stringify({ end })}\n`));
    this.#gzip.end();
    await this.#written;
    await this.#handle.sync();
    const { size } = await this.#handle.stat();
    await this.#handle.close();
    await rename(this.#temporary, this.#file);
    await syncFolder(dirname(this.#file));
    const rows = Object.values(this.#rows).reduce((total, count) => total + count, 0);
    return { sha256, rows, bytes: size };
  }
}

/** A new name is on the disk when its folder is. Windows opens no folders. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
