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
import type { Services } from '../../../services.ts';
import { creatingRoute } from '../../tenant-core/idempotency/creating-route.ts';
import { readCatalog } from './api-service.ts';
import {
  Connection,
  ConnectionsQuery,
  ConnectionWithSecret,
  CreateConnection,
  ShopCatalog,
  UpdateConnection,
} from './schemas.ts';
import {
  createConnection,
  deleteConnection,
  presentConnection,
  presentNewConnection,
  readConnection,
  readConnections,
  updateConnection,
} from './service.ts';

const tags = ['Connections'] as const;
const oneConnection = { 200: Envelope(Connection) } as const;

/** Routes that manage the connections of a tenant to shops. */
export function connectionRoutes(services: Services): TenantRoute[] {
  return [...collectionRoutes(services), ...singleRoutes(services)];
}

function collectionRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'listConnections',
      summary: 'List connections to shops',
      tags,
      querystring: ConnectionsQuery,
      response: { 200: PageEnvelope(Connection) },
      async handler({ request, tenant }) {
        return successPage(request, await readConnections(services, tenant, request.query));
      },
    }),
    creatingRoute(services, '', {
      operationId: 'createConnection',
      summary: 'Connect a shop',
      tags,
      errors: ['PLAN.LIMIT_REACHED'],
      description:
        'Enter `webhook_url` in the shop afterwards. The secret of a `custom` shop is generated, and only this response ' +
        'contains it.',
      body: CreateConnection,
      response: { 201: Envelope(ConnectionWithSecret) },
      secretFields: ['signing_secret'],
      create({ request, reply, tenant, actor }) {
        reply.header('cache-control', 'no-store');
        return createConnection(services, tenant, actor, request.body);
      },
      answer: (created) => ({ status: 201, data: presentNewConnection(services, created) }),
    }),
  ];
}

function singleRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '/:id', {
      operationId: 'getConnection',
      summary: 'Read a connection',
      tags,
      params: IdParams,
      response: oneConnection,
      async handler({ request, tenant: { db } }) {
        return success(request, await presentConnection(services, db, await readConnection(db, request.params.id)));
      },
    }),
    tenantRoute('PUT', '/:id', {
      operationId: 'updateConnection',
      summary: 'Change a connection',
      tags,
      description: 'A new signing secret replaces the former one at once.',
      params: IdParams,
      body: UpdateConnection,
      response: oneConnection,
      async handler({ request, tenant, actor }) {
        const row = await updateConnection(services, tenant, actor, request.params.id, request.body);
        return success(request, await presentConnection(services, tenant.db, row));
      },
    }),
    tenantRoute('DELETE', '/:id', {
      operationId: 'deleteConnection',
      summary: 'Delete a connection',
      tags,
      description: 'Its address refuses messages from now on. The licenses that its sales have issued stay.',
      params: IdParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, tenant, actor }) {
        await deleteConnection(services, tenant, actor, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
    tenantRoute('GET', '/:id/catalog', {
      operationId: 'listShopOffers',
      summary: 'List what the shop sells',
      tags,
      errors: ['SALES.NO_API', 'SALES.KEY_REFUSED', 'SALES.SHOP_UNAVAILABLE'],
      description: "The service asks the shop's API, with the key of the connection.",
      params: IdParams,
      response: { 200: Envelope(ShopCatalog) },
      async handler({ request, tenant }) {
        const offers = await readCatalog(services, tenant, request.params.id);
        const items = offers.map(({ externalId, name, price }) => ({ external_id: externalId, name, price }));
        return success(request, { items });
      },
    }),
  ];
}
