import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { fileResponse, sendFile } from '../../../http/file-export.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams, NoFields } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { answerOnce, creatingRoute, idempotencyKeyOf } from '../../tenant-core/idempotency/creating-route.ts';
import { writeChanges } from './changes-file.ts';
import { previewOperation } from './preview-service.ts';
import { BulkChangesQuery, BulkOperation, BulkOperationsQuery, BulkPreview, CreateBulkOperation } from './schemas.ts';
import {
  cancelOperation,
  presentOperation,
  readOperation,
  readOperations,
  startOperation,
  undoOperation,
} from './service.ts';

const tags = ['Bulk operations'] as const;

/** Routes of changes of many licenses at once. */
export function bulkOperationRoutes(services: Services): TenantRoute[] {
  return [startRoute(services), ...readingRoutes(), ...endingRoutes(services)];
}

function startRoute(services: Services): TenantRoute {
  return tenantRoute('POST', '', {
    idempotent: true,
    operationId: 'createBulkOperation',
    summary: 'Change many licenses',
    tags,
    description:
      'A job makes the changes in batches, each license like a single change: with its audit record and its events. ' +
      'Licenses that are issued after the request are left out. Everything else that matches when the job reaches it ' +
      'is changed. With `dry_run: true` the answer is 200 and says what the operation would do now.',
    body: CreateBulkOperation,
    response: { 200: Envelope(BulkPreview), 202: Envelope(BulkOperation) },
    async handler(context) {
      const { request, tenant, actor } = context;
      const { body } = request;
      if (body.dry_run === true) return success(request, await previewOperation(services, tenant, body));
      return await answerOnce(services, context, {
        key: idempotencyKeyOf(request),
        input: { params: request.params, body },
        creation: {
          secretFields: [],
          create: (own) => startOperation(services, own, actor, body),
          answer: (row) => ({ status: 202, data: presentOperation(row) }),
        },
      });
    },
  });
}

function readingRoutes(): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'listBulkOperations',
      summary: 'List changes of many licenses',
      tags,
      querystring: BulkOperationsQuery,
      response: { 200: PageEnvelope(BulkOperation) },
      async handler({ request, tenant }) {
        return successPage(request, await readOperations(tenant, request.query));
      },
    }),
    tenantRoute('GET', '/:id', {
      operationId: 'getBulkOperation',
      summary: 'Read a change of many licenses',
      tags,
      params: IdParams,
      response: { 200: Envelope(BulkOperation) },
      async handler({ request, tenant }) {
        return success(request, presentOperation(await readOperation(tenant, request.params.id)));
      },
    }),
    tenantRoute('GET', '/:id/changes', {
      operationId: 'exportBulkChanges',
      summary: 'Export what an operation changed',
      tags,
      description:
        'Streams a row for each changed field with its value before and after, and for each license that was refused.',
      params: IdParams,
      querystring: BulkChangesQuery,
      response: fileResponse,
      async handler({ request, reply, tenant }) {
        const { id } = await readOperation(tenant, request.params.id);
        const { format = 'csv' } = request.query;
        return await sendFile(request, reply, { name: 'changes', format, pages: writeChanges(tenant, id, format) });
      },
    }),
  ];
}

function endingRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('POST', '/:id/cancel', {
      operationId: 'cancelBulkOperation',
      summary: 'Cancel a running operation',
      tags,
      errors: ['BULK_OPERATION.TRANSITION_INVALID'],
      description: 'What was changed until then stays, and can be undone. A repeated request changes nothing.',
      params: IdParams,
      body: NoFields,
      response: { 200: Envelope(BulkOperation) },
      async handler({ request, tenant, actor }) {
        return success(request, presentOperation(await cancelOperation(services, tenant, actor, request.params.id)));
      },
    }),
    creatingRoute(services, '/:id/undo', {
      operationId: 'undoBulkOperation',
      summary: 'Undo an operation',
      tags,
      errors: ['BULK_OPERATION.TRANSITION_INVALID'],
      description:
        'Starts an operation that gives each field its former value, unless somebody changed the field since. It also ' +
        'makes licenses usable that the operation revoked.',
      params: IdParams,
      body: NoFields,
      response: { 202: Envelope(BulkOperation) },
      create: ({ request, tenant, actor }) => undoOperation(services, tenant, actor, request.params.id),
      answer: (row) => ({ status: 202, data: presentOperation(row) }),
    }),
  ];
}
