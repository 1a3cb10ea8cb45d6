import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { TenantDb } from '../../../../db/database.ts';
import { mediaTypes } from '../../../../http/file-export.ts';
import { receiveBody } from '../../../../http/streamed-body.ts';
import { yieldToEventLoop } from '../../../../lib/yield-to-event-loop.ts';
import type { MailServices } from '../../../../services.ts';
import { type LicenseCatalog, readCatalog } from '../license-catalog.ts';
import { createCsvReader } from './csv-reader.ts';
import { createNdjsonReader } from './ndjson-reader.ts';
import { Problems, UnreadableFileError } from './problems.ts';
import { createRowCheck } from './row-check.ts';
import type { RowCandidate, RowReader, TakeRow } from './row-reader.ts';
import type { ImportPreview } from './schemas.ts';
import { Spool } from './spool.ts';

const limitBytes = 256 * 1024 * 1024;
/** Reading and validating this much takes about a millisecond. */
const sliceBytes = 4 * 1024;

/** A completely received file: its valid rows on disk, and the problems of its invalid rows. */
export interface ReceivedFile extends Disposable {
  readonly spool: Spool;
  readonly problems: Problems;
  readonly catalog: LicenseCatalog;
  /** The columns and the first rows. */
  readonly preview: ImportPreview;
  /** The SHA-256 of the bytes, in hex. */
  readonly digest: string;
}

const notText = 'The file is not UTF-8 text. Save it as UTF-8.';

/**
 * Reads a file of licenses while it is received and validates every row. Throws 422 `IMPORT.REJECTED` when the file
 * cannot be divided into rows, 413 `REQUEST.TOO_LARGE` for too many rows, and the errors of `receiveBody`.
 */
export async function receiveFile(
  { clock, config }: MailServices,
  db: TenantDb,
  request: FastifyRequest,
): Promise<ReceivedFile> {
  const catalog = await readCatalog(db);
  const problems = new Problems();
  const spool = new Spool(config.dataDir);
  try {
    const preview = new Preview();
    const takeRow = preview.keeping(createRowCheck({ catalog, problems, spool, at: clock.now() }));
    const isCsv = request.mediaType === mediaTypes.csv;
    const reader = isCsv ? createCsvReader(takeRow) : createNdjsonReader(takeRow);
    const digest = await readRows(request, reader);
    const found = { columns: columnsOf(reader), rows: preview.rows };
    return { spool, problems, catalog, preview: found, digest, [Symbol.dispose]: () => spool[Symbol.dispose]() };
  } catch (error) {
    spool[Symbol.dispose]();
    if (!(error instanceof UnreadableFileError)) throw error;
    problems.add(error.problem.row, [error.problem]);
    throw problems.toError();
  }
}

async function readRows(request: FastifyRequest, reader: RowReader): Promise<string> {
  const hash = createHash('sha256');
  const guard = new TextGuard();
  await receiveBody(request, {
    limitBytes,
    async onChunk(chunk) {
      hash.update(chunk);
      const { text, isBroken } = guard.push(chunk);
      for (let start = 0; start < text.length; start += sliceBytes) {
        await reader.write(text.subarray(start, start + sliceBytes));
        await yieldToEventLoop();
      }
      if (isBroken) await refuseNextRow(reader);
    },
  });
  if (guard.endsInside) await refuseNextRow(reader);
  await reader.end();
  return hash.digest('hex');
}

async function refuseNextRow(reader: RowReader): Promise<never> {
  // The CSV parser looks ahead before it emits a row. These bytes make it emit every complete row first.
  await Promise.try(() => reader.write(Buffer.from('????'))).catch(() => undefined);
  throw new UnreadableFileError(reader.nextRow, 'row', notText);
}

const rowsMax = 20;
/** Bounds the size of the response: a row may be as long as 1 MiB. */
const textMax = 200;

/** The first rows of a file, as the import reads them. */
class Preview {
  readonly rows: ImportPreview['rows'] = [];

  /** Returns a function that keeps the first rows and passes every row on. */
  keeping(takeRow: TakeRow): TakeRow {
    return (row, candidate) => {
      if (this.rows.length < rowsMax) this.rows.push({ row, values: valuesOf(candidate) });
      takeRow(row, candidate);
    };
  }
}

/** Returns the columns of a file in their order, and whether each is imported. */
function columnsOf({ columns }: Pick<RowReader, 'columns'>): ImportPreview['columns'] {
  return columns.map(({ name, isImported }) => ({ name, imported: isImported }));
}

function valuesOf({ policy, policyId, product, status, fields }: RowCandidate): Record<string, string> {
  const { holder, ...others } = fields;
  const named = typeof holder === 'object' && holder !== null ? Object.entries(holder) : [];
  const all = { product, policy, policy_id: policyId, status, ...others };
  const values = [...Object.entries(all), ...named.map(([name, value]) => [`holder_${name}`, value] as const)];
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, textOf(value)]])));
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > textMax ? `${text.slice(0, textMax)}…` : text;
}

const newline = 0x0a;
const none = Buffer.alloc(0);

/** Returns the length in bytes of the character whose first byte is `byte` (RFC 3629, section 3). */
function lengthOf(byte: number): number {
  if (byte >= 0xf0) return 4;
  return byte >= 0xe0 ? 3 : 2;
}

/** Returns the number of bytes at the end of `bytes` that belong to an incomplete character: 0 to 3. */
function incompleteTail(bytes: Buffer): number {
  const maxBack = Math.min(3, bytes.length);
  for (let back = 1; back <= maxBack; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return lengthOf(byte) > back ? back : 0;
  }
  return 0;
}

const isText = (bytes: Buffer) => isUtf8(bytes) && !bytes.includes(0);

/** Returns the bytes before the first invalid line. In UTF-8 no other character contains the byte of a line feed. */
function beforeBadLine(bytes: Buffer): Buffer {
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(newline, start);
    if (end === -1 || !isText(bytes.subarray(start, end))) return bytes.subarray(0, start);
    start = end + 1;
  }
}

/** The valid text of a chunk. */
interface GuardedText {
  /** Complete characters. */
  readonly text: Buffer;
  /** True when the bytes after `text` are not UTF-8 or contain a NUL. Text has no NUL, and UTF-16 has many. */
  readonly isBroken: boolean;
}

/**
 * Validates UTF-8 chunk by chunk. Stops immediately before the first invalid line, so that the number of its row can be
 * reported.
 */
class TextGuard {
  #carried: Buffer = none;

  /** Returns the valid text of the pending bytes and this chunk. */
  push(chunk: Buffer): GuardedText {
    const bytes = this.#carried.length === 0 ? chunk : Buffer.concat([this.#carried, chunk]);
    const end = bytes.length - incompleteTail(bytes);
    this.#carried = bytes.subarray(end);
    const text = bytes.subarray(0, end);
    return isText(text) ? { text, isBroken: false } : { text: beforeBadLine(text), isBroken: true };
  }

  /** True when the last chunk ended within a character. */
  get endsInside(): boolean {
    return this.#carried.length > 0;
  }
}
