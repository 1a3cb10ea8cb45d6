import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { TenantDb } from '../../../../db/database.ts';
import { receiveBody } from '../../../../http/streamed-body.ts';
import type { Services } from '../../../../services.ts';
import { mediaTypes } from '../file-format.ts';
import { type LicenseCatalog, readCatalog } from '../license-catalog.ts';
import { createCsvReader } from './csv-reader.ts';
import { createNdjsonReader } from './ndjson-reader.ts';
import { Problems, UnreadableFileError } from './problems.ts';
import { createRowCheck } from './row-check.ts';
import type { RowReader } from './row-reader.ts';
import { Spool } from './spool.ts';
import { TextGuard } from './text-guard.ts';

const limitBytes = 256 * 1024 * 1024;

/** A file that came in whole: what is good of it, on disk, and what is not. */
export interface ReceivedFile extends Disposable {
  readonly spool: Spool;
  readonly problems: Problems;
  readonly catalog: LicenseCatalog;
  /** SHA-256 of the bytes, hex. */
  readonly digest: string;
}

const notText = 'is not text in UTF-8, or has a NUL; save the file as UTF-8';

/**
 * Reads a file of licenses as it comes in and checks every row of it. Throws 422 `IMPORT.REJECTED` where its rows end
 * to be rows, and what `receiveBody` throws.
 */
export async function receiveFile(
  { clock, config }: Pick<Services, 'clock' | 'config'>,
  db: TenantDb,
  request: FastifyRequest,
): Promise<ReceivedFile> {
  const catalog = await readCatalog(db);
  const problems = new Problems();
  const spool = new Spool(config.dataDir);
  try {
    const takeRow = createRowCheck({ catalog, problems, spool, at: clock.now() });
    const isCsv = request.mediaType === mediaTypes.csv;
    const digest = await readRows(request, isCsv ? createCsvReader(takeRow) : createNdjsonReader(takeRow));
    return { spool, problems, catalog, digest, [Symbol.dispose]: () => spool[Symbol.dispose]() };
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
      await reader.write(text);
      if (isBroken) await refuseNextRow(reader);
    },
  });
  if (guard.endsInside) await refuseNextRow(reader);
  await reader.end();
  return hash.digest('hex');
}

async function refuseNextRow(reader: RowReader): Promise<never> {
  // The parser of CSV looks ahead before it gives a row out: with something to look at, it tells all that were whole.
  await Promise.try(() => reader.write(Buffer.from('????'))).catch(() => undefined);
  throw new UnreadableFileError(reader.nextRow, 'row', notText);
}
