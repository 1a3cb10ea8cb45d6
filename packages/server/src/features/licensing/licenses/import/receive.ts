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
import { TextGuard } from './text-guard.ts';

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

const notText = 'is not UTF-8, or contains a NUL character; save the file as UTF-8';

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
