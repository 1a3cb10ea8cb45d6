import { createHash, type Hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Snapshot } from '../../db/archive/tables.ts';
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

/** Writes the header and the tables of an archive. */
export type ArchiveContent = (writer: ArchiveWriter) => Promise<void>;

/** Writes one archive to a stream. */
export class ArchiveWriter {
  readonly #stream: Writable;
  readonly #written: Promise<void>;
  readonly #hash: Hash = createHash('sha256');
  readonly #rows: Record<string, number> = {};
  readonly #keyring: Keyring;
  #kind = '';

  /** `written` resolves when everything in the stream is written, and rejects when that fails. */
  private constructor(stream: Writable, written: Promise<void>, keyring: Keyring) {
    this.#stream = stream;
    this.#written = written;
    this.#keyring = keyring;
    written.catch(() => undefined);
  }

  /**
   * Writes an archive to a file, which is readable only by its owner and gets its name only once its whole content is on
   * the disk. Throws when the file exists already. Leaves no file when it throws.
   */
  static async write(file: string, keyring: Keyring, content: ArchiveContent): Promise<WrittenArchive> {
    if ((await stat(file).catch(() => undefined)) !== undefined) {
      throw refusal(file, 'exists already: choose another name, or remove the file.');
    }
    const temporary = `${file}.${randomBytes(4).toString('hex')}.partial`;
    const handle = await open(temporary, 'wx', 0o600);
    const gzip = createGzip({ level: compressionLevel, chunkSize: chunkBytes });
    const written = pipeline(gzip, async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) await handle.writeFile(chunk);
    });
    try {
      const archive = await ArchiveWriter.#complete(new ArchiveWriter(gzip, written, keyring), content);
      await handle.sync();
      const { size } = await handle.stat();
      await handle.close();
      await rename(temporary, file);
      await syncFolder(dirname(file));
      return { ...archive, bytes: size };
    } catch (error) {
      gzip.destroy();
      await written.catch(() => undefined);
      await handle.close().catch(() => undefined);
      await rm(temporary, { force: true });
      throw error;
    }
  }

  /** Writes an archive to a stream, without compression, and ends the stream. */
  static async stream(stream: Writable, keyring: Keyring, content: ArchiveContent): Promise<void> {
    await ArchiveWriter.#complete(new ArchiveWriter(stream, finished(stream, { readable: false }), keyring), content);
  }

  static async #complete(writer: ArchiveWriter, content: ArchiveContent): Promise<Omit<WrittenArchive, 'bytes'>> {
    await content(writer);
    return await writer.#finish();
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
    if (this.#stream.write(bytes)) return;
    // When the stream fails, `drain` never fires; `#written` rejects instead.
    await Promise.race([once(this.#stream, 'drain'), this.#written]);
  }

  async #finish(): Promise<Omit<WrittenArchive, 'bytes'>> {
    const sha256 = this.#hash.digest('hex');
    const end: Trailer = { rows: this.#rows, sha256, signature: signatureOf(this.#keyring, this.#kind, sha256) };
    await this.#write(Buffer.from(`${JSON.stringify({ end })}\n`));
    this.#stream.end();
    await this.#written;
    return { sha256, rows: Object.values(this.#rows).reduce((total, count) => total + count, 0) };
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
