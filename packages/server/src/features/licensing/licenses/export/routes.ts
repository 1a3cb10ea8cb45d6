import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { type TenantRoute, tenantRoute } from '../../../../http/routes/tenant-route.ts';
import type { Services } from '../../../../services.ts';
import { mediaTypes } from '../file-format.ts';
import { ExportQuery } from './schemas.ts';
import { exportLicenses } from './service.ts';

const description =
  'Streams every license that matches the filters of the list, newest first and without an envelope. If an ' +
  'error occurs midway, the connection is aborted, so that a client cannot mistake an incomplete file for a ' +
  'complete one.\n\n' +
  'The file can be imported again. `null` stands for a date that is null. A CSV cell that a spreadsheet ' +
  'would evaluate as a formula begins with an apostrophe, which the import removes.';

/** Registers the route `GET /licenses/export`. */
export function exportLicensesRoute(services: Services): TenantRoute {
  return tenantRoute({
    method: 'GET',
    url: '/export',
    schema: {
      operationId: 'exportLicenses',
      summary: 'Export licenses to a file',
      tags: ['Licenses'],
      description,
      querystring: ExportQuery,
      response: {
        200: {
          description: 'The file.',
          content: {
            [mediaTypes.csv]: { schema: Type.String() },
            [mediaTypes.ndjson]: { schema: Type.String() },
          },
        },
      },
    },
    async handler({ request, reply, tenant }) {
      const { format = 'csv' } = request.query;
      const pages = exportLicenses(services, tenant, request.query);
      // Read the first page before the headers are sent, so that an early error still gets an error response.
      const first = await pages.next();
      reply.type(`${mediaTypes[format]}; charset=utf-8`);
      reply.header('content-disposition', `attachment; filename="licenses.${format}"`);
      if (request.method === 'HEAD') {
        await pages.return();
        return reply.send(Readable.from([]));
      }
      return reply.send(Readable.from(following(first, pages)));
    },
  });
}

async function* following(first: IteratorResult<string, void>, rest: AsyncGenerator<string, void>) {
  if (!first.done) yield first.value;
  yield* rest;
}
