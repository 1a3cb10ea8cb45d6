import { Type } from 'typebox';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams, Uuid } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { LicenseSaleOrNull, Sale, SalesQuery } from '../sales/schemas.ts';
import { readSale, readSaleOfLicense, readSales } from '../sales/service.ts';
import { SaleEvent, SaleEventsQuery } from './schemas.ts';
import { applyAndSettle, mayReadBody, readEvent, readEvents, retryEvent } from './service.ts';

const tags = ['Connections'] as const;
const EventParams = Type.Object({ id: Uuid, event_id: Uuid });
const SaleParams = Type.Object({ id: Uuid, sale_id: Uuid });

/** Routes of the messages of a connection, below `/connections`. */
export function saleEventRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '/:id/events', {
      operationId: 'listSaleEvents',
      summary: 'List the messages of a shop',
      tags,
      params: IdParams,
      querystring: SaleEventsQuery,
      response: { 200: PageEnvelope(SaleEvent) },
      async handler({ request, tenant }) {
        return successPage(request, await readEvents(tenant, request.params.id, request.query));
      },
    }),
    tenantRoute('GET', '/:id/events/:event_id', {
      operationId: 'getSaleEvent',
      summary: 'Read a message of a shop',
      tags,
      description: 'Owners and admins also get the body, which contains personal data of the buyer.',
      params: EventParams,
      response: { 200: Envelope(SaleEvent) },
      async handler({ request, reply, tenant, actor }) {
        reply.header('cache-control', 'no-store');
        const { id: connectionId, event_id: id } = request.params;
        const includesBody = await mayReadBody(services, tenant, actor);
        return success(request, await readEvent(services, tenant, { connectionId, id, includesBody }));
      },
    }),
    tenantRoute('POST', '/:id/events/:event_id/retry', {
      operationId: 'retrySaleEvent',
      summary: 'Apply a message again',
      tags,
      description: 'A job applies it soon afterwards. Effects that it had already are not repeated.',
      params: EventParams,
      response: { 200: Envelope(SaleEvent) },
      async handler({ request, tenant, actor }) {
        const { id: connectionId, event_id: id } = request.params;
        return success(request, await retryEvent(services, tenant, actor, { connectionId, id }));
      },
    }),
  ];
}

/** Routes of the sales of a connection, below `/connections`. */
export function saleRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '/:id/sales', {
      operationId: 'listSales',
      summary: 'List what was sold',
      tags,
      params: IdParams,
      querystring: SalesQuery,
      response: { 200: PageEnvelope(Sale) },
      async handler({ request, tenant }) {
        return successPage(request, await readSales(tenant, request.params.id, request.query));
      },
    }),
    tenantRoute('GET', '/:id/sales/:sale_id', {
      operationId: 'getSale',
      summary: 'Read a sale',
      tags,
      params: SaleParams,
      response: { 200: Envelope(Sale) },
      async handler({ request, tenant }) {
        return success(request, await readSale(tenant, request.params.id, request.params.sale_id));
      },
    }),
    tenantRoute('POST', '/:id/sales/:sale_id/apply', {
      operationId: 'applySale',
      summary: 'Apply a sale',
      tags,
      errors: ['PLAN.LIMIT_REACHED', 'LICENSE.TRANSITION_INVALID'],
      description:
        'Changes the licenses of the sale to what it entitles its buyer to, for example after an offer was added or the ' +
        'plan was enlarged. A paid license that somebody revoked or deleted is replaced. A repeated request has the same response and changes nothing.',
      params: SaleParams,
      response: { 200: Envelope(Sale) },
      async handler({ request, tenant, actor }) {
        const { id: connectionId, sale_id: id } = request.params;
        return success(request, await applyAndSettle(services, tenant, actor, { connectionId, id }));
      },
    }),
  ];
}

/** The route of the sale of a license, below `/licenses`. */
export function licenseSaleRoute(): TenantRoute {
  return tenantRoute('GET', '/:id/sale', {
    operationId: 'getLicenseSale',
    summary: 'Read the sale of a license',
    tags: ['Licenses'],
    errors: ['LICENSE.NOT_FOUND'],
    description: 'Null for a license that no sale has issued.',
    params: IdParams,
    response: { 200: Envelope(LicenseSaleOrNull) },
    async handler({ request, tenant }) {
      return success(request, await readSaleOfLicense(tenant, request.params.id));
    },
  });
}
