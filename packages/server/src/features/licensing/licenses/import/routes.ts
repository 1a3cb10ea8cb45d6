import { Type } from 'typebox';
import { Envelope } from '../../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../../http/routes/tenant-route.ts';
import { answerSlowly } from '../../../../http/streamed-body.ts';
import type { Services } from '../../../../services.ts';
import { answerOnce, idempotencyKeyOf } from '../../../tenant-core/idempotency/creating-route.ts';
import { importedColumns, mediaTypes, readOnlyColumns } from '../file-format.ts';
import { receiveFile } from './receive.ts';
import { rowsMax } from './row-check.ts';
import { ImportQuery, ImportResult } from './schemas.ts';
import { importPartially, importWhole } from './service.ts';

/** Longer than a file of the largest size takes: a repetition meanwhile is told to wait, and does nothing twice. */
const leaseSeconds = 900;

const description = `Takes CSV with a header or NDJSON, at most 256 MiB and ${rowsMax} rows, in UTF-8, with these columns: ${importedColumns.join(', ')}.

A row names its policy by \`policy\` (the code, with \`product\`, a code or an id, where several products have a policy of that code) or by \`policy_id\`; all else is optional and follows the rules of \`POST /licenses\`. An empty cell is absent, and \`null\` in \`expires_at\` or \`maintenance_expires_at\` means none whatever the policy says. \`entitlements\` and \`metadata\` are JSON. Of a cell that begins with an apostrophe and \`=\`, \`+\`, \`-\`, \`@\`, tab or carriage return the apostrophe is taken off. NDJSON also takes \`holder\` as the API shows it. Of \`status\`, \`pending\` and \`expired\` count as \`active\`: dates make them so. What else an export writes is passed over: ${readOnlyColumns.join(', ')}.

All or nothing, unless \`partial=true\`: with a bad row the answer is 422 \`IMPORT.REJECTED\`, whose \`details\` have the \`row\` (from 1; 0 is the header), and nothing is written. When the caller leaves before the answer, the import ends: nothing of it is kept, or with \`partial=true\` what was kept by then.`;

/** `POST /licenses/import`. */
export function importLicensesRoute(services: Services): TenantRoute {
  return tenantRoute({
    method: 'POST',
    url: '/import',
    idempotent: true,
    schema: {
      summary: 'Import licenses from a file',
      tags: ['Licenses'],
      description,
      querystring: ImportQuery,
      body: {
        content: {
          [mediaTypes.csv]: { schema: Type.String({ description: 'A header and a row per license.' }) },
          [mediaTypes.ndjson]: { schema: Type.String({ description: 'A JSON object per line.' }) },
        },
      },
      response: { 200: Envelope(ImportResult) },
    },
    async handler(context) {
      const { request, tenant, actor } = context;
      const { partial = false } = request.query;
      const key = idempotencyKeyOf(request);
      using file = await receiveFile(services, tenant.db, request);
      return await answerSlowly(request, (isGone) =>
        answerOnce(services, context, {
          key,
          leaseSeconds,
          input: { params: request.params, partial, type: request.mediaType, file: file.digest },
          creation: {
            secretFields: [],
            answer: (data: ImportResult) => ({ status: 200, data }),
            // The answer to a partial import is known after its last transaction, so it is not stored with its first.
            create: (own) =>
              partial
                ? importPartially({ services, tenant, actor, file, isGone })
                : importWhole({ services, tenant: own, actor, file, isGone }),
          },
        }),
      );
    },
  });
}
