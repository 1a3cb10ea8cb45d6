import { fileResponse, sendFile } from '../../../../http/file-export.ts';
import { type TenantRoute, tenantRoute } from '../../../../http/routes/tenant-route.ts';
import type { Services } from '../../../../services.ts';
import { ExportQuery, exportLicenses } from './service.ts';

const description =
  'Streams every license that matches the filters of the list, in its order and without an envelope. An error midway ' +
  'aborts the connection. The file can be imported again. In CSV, `never` stands for a date that is null; it is empty if ' +
  'the term begins with the first use. A cell that a spreadsheet would evaluate begins with an apostrophe, which the ' +
  'import removes.';

/** Registers the route `GET /licenses/export`. */
export function exportLicensesRoute(services: Services): TenantRoute {
  return tenantRoute('GET', '/export', {
    operationId: 'exportLicenses',
    summary: 'Export licenses to a file',
    tags: ['Licenses'],
    description,
    querystring: ExportQuery,
    response: fileResponse,
    handler({ request, reply, tenant }) {
      const { format = 'csv' } = request.query;
      return sendFile(request, reply, {
        name: 'licenses',
        format,
        pages: exportLicenses(services, tenant, request.query),
      });
    },
  });
}
