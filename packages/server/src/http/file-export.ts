import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';

/** The file formats of exports. */
export type FileFormat = 'csv' | 'ndjson';

/** The media type of each file format. */
export const mediaTypes: Readonly<Record<FileFormat, string>> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

/** The query parameters of every exported file. `sendFile` reads `bom` itself. */
export const fileQuery = {
  format: Type.Optional(
    Type.Union([Type.Literal('csv'), Type.Literal('ndjson')], {
      default: 'csv',
      description: 'The format of the file: CSV with a header row, or one JSON object per line.',
    }),
  ),
  bom: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Whether a CSV file begins with a byte order mark, without which Excel reads no letters beyond ASCII.',
    }),
  ),
};

/** The responses of a route that exports a file. */
export const fileResponse = {
  200: {
    description: 'The file.',
    content: {
      [mediaTypes.csv]: { schema: Type.String() },
      [mediaTypes.ndjson]: { schema: Type.String() },
    },
  },
};

interface ExportedFile {
  /** The name of the file without its ending. */
  readonly name: string;
  readonly format: FileFormat;
  /** The text of the file, page by page. The next page is read only when the caller has taken the previous ones. */
  readonly pages: AsyncGenerator<string, void>;
}

/**
 * Streams a file. Reading ends when the caller disconnects. An error before the first page gets an error response; a
 * later one aborts the connection, so that a client cannot mistake an incomplete file for a complete one.
 */
export async function sendFile(request: FastifyRequest, reply: FastifyReply, file: ExportedFile) {
  const { name, format, pages } = file;
  const { bom } = request.query as { readonly bom?: boolean };
  // Read the first page before the headers are set, so that an early error gets an error response with its own headers.
  const first = await pages.next();
  reply.type(`${mediaTypes[format]}; charset=utf-8`);
  reply.header('content-disposition', `attachment; filename="${name}.${format}"`);
  if (request.method === 'HEAD') {
    await pages.return();
    return reply.send(Readable.from([]));
  }
  return reply.send(Readable.from(following(first, pages, format === 'csv' && bom === true ? '\ufeff' : '')));
}

async function* following(first: IteratorResult<string, void>, rest: AsyncGenerator<string, void>, start: string) {
  try {
    if (!first.done) yield start + first.value;
    yield* rest;
  } finally {
    await rest.return();
  }
}
