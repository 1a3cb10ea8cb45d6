import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { fileResponse, sendFile } from '../../../http/file-export.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams, NoFields } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { creatingRoute } from '../../tenant-core/idempotency/creating-route.ts';
import { countUsed } from '../licenses/bulk-service.ts';
import { BatchKeysQuery, CreateLicenseBatch, LicenseBatch, LicenseBatchesQuery, LicenseBatchQuery } from './schemas.ts';
import { cancelBatch, createBatch, presentBatch, readBatch, readBatches, writeKeys } from './service.ts';

const tags = ['License batches'] as const;

/** Routes of licenses that are issued together. */
export function licenseBatchRoutes(services: Services): TenantRoute[] {
  return [
    creatingRoute(services, '', {
      operationId: 'createLicenseBatch',
      summary: 'Issue many licenses',
      tags,
      errors: ['PLAN.LIMIT_REACHED', 'POLICY.ARCHIVED', 'PRODUCT.ARCHIVED'],
      description:
        'A job issues the licenses, each with a generated key. To change or revoke them, start a bulk operation with ' +
        'the filter `batch_id`.',
      body: CreateLicenseBatch,
      response: { 202: Envelope(LicenseBatch) },
      create: ({ request, tenant, actor }) => createBatch(services, tenant, actor, request.body),
      answer: (row) => ({ status: 202, data: presentBatch(row) }),
    }),
    tenantRoute('POST', '/:id/cancel', {
      operationId: 'cancelLicenseBatch',
      summary: 'Cancel a running batch',
      tags,
      description: 'Its state is `failed` afterwards. A batch that has ended stays as it is.',
      params: IdParams,
      body: NoFields,
      response: { 200: Envelope(LicenseBatch) },
      async handler({ request, tenant, actor }) {
        return success(request, presentBatch(await cancelBatch(services, tenant, actor, request.params.id)));
      },
    }),
    ...readingRoutes(services),
  ];
}

function readingRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'listLicenseBatches',
      summary: 'List batches of licenses',
      tags,
      querystring: LicenseBatchesQuery,
      response: { 200: PageEnvelope(LicenseBatch) },
      async handler({ request, tenant }) {
        return successPage(request, await readBatches(tenant, request.query));
      },
    }),
    tenantRoute('GET', '/:id', {
      operationId: 'getLicenseBatch',
      summary: 'Read a batch of licenses',
      tags,
      params: IdParams,
      querystring: LicenseBatchQuery,
      response: { 200: Envelope(LicenseBatch) },
      async handler({ request, tenant }) {
        const { params, query } = request;
        const batch = presentBatch(await readBatch(tenant, params.id));
        if (query.include !== 'details') return success(request, batch);
        return success(request, { ...batch, used: await countUsed(tenant.db, batch.id) });
      },
    }),
    tenantRoute('GET', '/:id/keys', {
      operationId: 'exportBatchKeys',
      summary: 'Export the keys of a batch',
      tags,
      description: 'Streams a row for each license of the batch that is not deleted: key, status, end and id.',
      params: IdParams,
      querystring: BatchKeysQuery,
      response: fileResponse,
      async handler({ request, reply, tenant }) {
        const { id } = await readBatch(tenant, request.params.id);
        const { format = 'csv' } = request.query;
        return await sendFile(request, reply, { name: 'keys', format, pages: writeKeys(services, tenant, id, format) });
      },
    }),
  ];
}
