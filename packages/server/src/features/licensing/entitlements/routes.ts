import { findRow } from '../../../db/rows.ts';
import { toPage } from '../../../http/cursor.ts';
import {
  DeletedEnvelope,
  Envelope,
  PageEnvelope,
  success,
  successDeleted,
  successPage,
} from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import { orThrow } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import { creatingRoute } from '../../tenant-core/idempotency/creating-route.ts';
import { listEntitlements } from './queries.ts';
import { CreateEntitlement, Entitlement, EntitlementsQuery, UpdateEntitlement } from './schemas.ts';
import { createEntitlement, deleteEntitlement, entitlementNotFound, updateEntitlement } from './service.ts';

const tags = ['Entitlements'] as const;
const oneEntitlement = { 200: Envelope(Entitlement) } as const;

/** Registers the CRUD routes of entitlements, the features and quantities that policies and licenses can grant. */
export function entitlementRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'listEntitlements',
      summary: 'List entitlements',
      tags,
      querystring: EntitlementsQuery,
      response: { 200: PageEnvelope(Entitlement) },
      async handler({ request, tenant }) {
        const rows = await listEntitlements(tenant.db, request.query);
        return successPage(request, toPage(rows, request.query.limit));
      },
    }),
    creatingRoute(services, '', {
      operationId: 'createEntitlement',
      summary: 'Create an entitlement',
      tags,
      errors: ['ENTITLEMENT.CODE_TAKEN'],
      description: 'Policies and licenses can then grant the entitlement by its code.',
      body: CreateEntitlement,
      response: { 201: Envelope(Entitlement) },
      create: ({ request, tenant, actor }) => createEntitlement(services, tenant, actor, request.body),
      answer: (row) => ({ status: 201, data: row }),
    }),
    tenantRoute('GET', '/:id', {
      operationId: 'getEntitlement',
      summary: 'Read an entitlement',
      tags,
      params: IdParams,
      response: oneEntitlement,
      async handler({ request, tenant }) {
        const row = orThrow(await findRow(tenant.db.query, 'entitlements', request.params.id), entitlementNotFound);
        return success(request, row);
      },
    }),
    tenantRoute('PUT', '/:id', {
      operationId: 'updateEntitlement',
      summary: 'Change an entitlement',
      tags,
      description: 'The code and the type cannot be changed.',
      params: IdParams,
      body: UpdateEntitlement,
      response: oneEntitlement,
      async handler({ request, tenant, actor }) {
        return success(request, await updateEntitlement(services, tenant, actor, request.params.id, request.body));
      },
    }),
    tenantRoute('DELETE', '/:id', {
      operationId: 'deleteEntitlement',
      summary: 'Delete an entitlement',
      tags,
      errors: ['ENTITLEMENT.IN_USE'],
      description: 'Responds with 409 `ENTITLEMENT.IN_USE` while a policy or a license grants the entitlement.',
      params: IdParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, tenant, actor }) {
        await deleteEntitlement(services, tenant, actor, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
  ];
}
