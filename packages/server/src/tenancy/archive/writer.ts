import { createHash, type Hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import type { Snapshot } from '../../db/copy/copy.ts';
import type { Keyring } from '../../lib/keyring.ts';
import { type Header, lineBytesMax, refusal, signatureOf, type TableLine, type Trailer } from './format.ts';

/** A higher level saves little space and takes longer than reading the database. */
const compressionLevel = 1;
const chunkBytes = 64 * 1024;

/** The result of writing an archive. */
export interface WrittenArchive {
  readonly sha256: string;
  readonly rows: number;
  /** The size of the compressed file. */
  readonly bytes: number;
}

/** Writes one archive. The file gets its name only once its whole content is on the disk. */
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
   * Runs `work`, which writes the header and the tables, then completes the archive. The file is readable only by its
   * owner. Throws when the file exists already. Leaves no file when it throws.
   */
  static async write(
    file: string,
    keyring: Keyring,
    work: (writer: ArchiveWriter) => Promise<void>,
  ): Promise<WrittenArchive> {
    if ((await stat(file).catch(() => undefined)) !== undefined) {
      throw refusal(file, 'exists already: choose another name, or remove the file.');
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

  /** Writes the header; the first call. */
  async header(header: Header): Promise<void> {
    this.#kind = header.archive;
    await this.#lines(`${JSON.stringify(header)}\n`);
  }

  /** Writes a table's line and all of its rows; each row is the text of a JSON array. */
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
    throw new Error(
      `A row of ${table} is longer than ${lineBytesMax} bytes, which is the maximum in an archive: shorten the row.`,
    );
  }

  async #lines(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    this.#hash.update(bytes);
    await this.#write(bytes);
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#gzip.write(bytes)) return;
    // When writing to the file fails, `drain` never fires; the pipeline rejects instead.
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

/** Flushes a folder, which makes a new file name in it durable. Does nothing on Windows, which cannot open folders. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
