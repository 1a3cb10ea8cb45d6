import { Type } from 'typebox';
import type { LicenseImportsTable } from '../../../../db/tables/tenant/bulk.ts';
import { Envelope, success } from '../../../../http/envelope.ts';
import { mediaTypes } from '../../../../http/file-export.ts';
import { type TenantRoute, tenantRoute } from '../../../../http/routes/tenant-route.ts';
import { IdParams, NoFields } from '../../../../http/schema.ts';
import { answerSlowly } from '../../../../http/streamed-body.ts';
import type { Services } from '../../../../services.ts';
import type { Tenant } from '../../../../tenancy/tenant.ts';
import { answerOnce, idempotencyKeyOf } from '../../../tenant-core/idempotency/creating-route.ts';
import { importedColumns } from '../columns.ts';
import { cancelImport, presentImport, readImport, startImport } from './progress-service.ts';
import { receiveFile } from './receive.ts';
import { rowsMax } from './row-check.ts';
import { ImportQuery, ImportResult, LicenseImport } from './schemas.ts';
import { importPartially, importWhole, previewImport } from './service.ts';

/** Longer than importing the largest file takes, so that a request repeated in the meantime does not write again. */
const leaseSeconds = 900;

const description =
  `CSV with a header, or NDJSON, in UTF-8, at most 256 MiB and ${rowsMax} rows, with these columns: ` +
  `${importedColumns.join(', ')}. The other columns of an export are ignored.\n\n` +
  'A row identifies its policy by `policy` (the code) or by `policy_id`, and with `product` (a code or an id) when several ' +
  'products have a policy with that code. All other columns are optional and follow the rules of `POST /licenses`. An ' +
  'empty cell is absent; `null` in a date means none, even if the policy would set one. `entitlements` and `metadata` are ' +
  'JSON. An apostrophe before `=`, `+`, `-`, `@`, tab or carriage return at the beginning of a cell is removed. NDJSON also ' +
  'accepts `holder` as in the API. `pending` and `expired` are imported as `active`.\n\n' +
  'Without `partial` and `background` one invalid row stops the whole import: 422 `IMPORT.REJECTED`, whose `details` contain ' +
  'the `row` (from 1; 0 is the header). The import stops if the client disconnects. `dry_run` writes nothing; only a file ' +
  'that cannot be divided into rows is then a 422.';

/** Registers the routes of imports: `POST /licenses/import`, and those below `/licenses/imports/:id`. */
export function licenseImportRoutes(services: Services): TenantRoute[] {
  return [importLicensesRoute(services), readImportRoute(), cancelImportRoute(services)];
}

function importLicensesRoute(services: Services): TenantRoute {
  return tenantRoute('POST', '/import', {
    idempotent: true,
    operationId: 'importLicenses',
    summary: 'Import licenses from a file',
    tags: ['Licenses'],
    errors: ['IMPORT.REJECTED', 'PLAN.LIMIT_REACHED'],
    description,
    querystring: ImportQuery,
    body: {
      content: {
        [mediaTypes.csv]: { schema: Type.String({ description: 'A header, and one row per license.' }) },
        [mediaTypes.ndjson]: { schema: Type.String({ description: 'One JSON object per line.' }) },
      },
    },
    response: { 200: Envelope(ImportResult), 202: Envelope(LicenseImport) },
    async handler(context) {
      const { request, tenant, actor } = context;
      const { partial = false, dry_run: isDryRun = false, notify_holder: notifiesHolders = false } = request.query;
      const key = idempotencyKeyOf(request);
      using file = await receiveFile(services, tenant.db, request);
      const digested = { params: request.params, notifiesHolders, type: request.mediaType, file: file.digest };
      if (isDryRun) {
        return await answerSlowly(request, async (isGone) =>
          success(request, await previewImport({ services, tenant, actor, file, isGone, notifiesHolders })),
        );
      }
      if (request.query.background === true) {
        const create = (own: Tenant) => startImport({ services, tenant: own, actor, file, notifiesHolders });
        const answer = (row: LicenseImportsTable) => ({ status: 202, data: presentImport(row) });
        const creation = { secretFields: [], create, answer };
        const input = { ...digested, background: true };
        return await answerOnce(services, context, { key, input, creation });
      }
      return await answerSlowly(request, (isGone) =>
        answerOnce(services, context, {
          key,
          leaseSeconds,
          input: { ...digested, partial },
          creation: {
            secretFields: [],
            answer: (data: ImportResult) => ({ status: 200, data }),
            // A partial import has several transactions. Its response is known only after the last one, so it is not
            // stored in the transaction of the licenses.
            create: (own) =>
              partial
                ? importPartially({ services, tenant, actor, file, isGone, notifiesHolders })
                : importWhole({ services, tenant: own, actor, file, isGone, notifiesHolders }),
          },
        }),
      );
    },
  });
}

function readImportRoute(): TenantRoute {
  return tenantRoute('GET', '/imports/:id', {
    operationId: 'getLicenseImport',
    summary: 'Read the progress of an import',
    tags: ['Licenses'],
    description: 'Only of an import with `background=true`.',
    params: IdParams,
    response: { 200: Envelope(LicenseImport) },
    async handler({ request, tenant }) {
      return success(request, await readImport(tenant, request.params.id));
    },
  });
}

function cancelImportRoute(services: Services): TenantRoute {
  return tenantRoute('POST', '/imports/:id/cancel', {
    operationId: 'cancelLicenseImport',
    summary: 'Cancel a running import',
    tags: ['Licenses'],
    description: 'Its state is `failed` afterwards. An import that has ended stays as it is.',
    params: IdParams,
    body: NoFields,
    response: { 200: Envelope(LicenseImport) },
    async handler({ request, tenant, actor }) {
      return success(request, presentImport(await cancelImport(services, tenant, actor, request.params.id)));
    },
  });
}
