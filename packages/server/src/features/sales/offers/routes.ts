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
import { CreateOffer, Offer, OfferParams, OffersQuery, UpdateOffer } from './schemas.ts';
import { createOffer, deleteOffer, presentOffer, readOffers, updateOffer } from './service.ts';

const tags = ['Connections'] as const;

/** Routes that manage the offers of a connection, below `/connections`. */
export function offerRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '/:id/offers', {
      operationId: 'listOffers',
      summary: 'List the offers of a connection',
      tags,
      params: IdParams,
      querystring: OffersQuery,
      response: { 200: PageEnvelope(Offer) },
      async handler({ request, tenant }) {
        return successPage(request, await readOffers(tenant, request.params.id, request.query));
      },
    }),
    creatingRoute(services, '/:id/offers', {
      operationId: 'createOffer',
      summary: 'Say what an item of the shop becomes',
      tags,
      errors: ['SALES.OFFER_TAKEN', 'PLAN.LIMIT_REACHED', 'POLICY.ARCHIVED', 'PRODUCT.ARCHIVED'],
      description: 'Sales of the item that wait for an offer become licenses soon afterwards.',
      params: IdParams,
      body: CreateOffer,
      response: { 201: Envelope(Offer) },
      create: ({ request, tenant, actor }) => createOffer(services, tenant, actor, request.params.id, request.body),
      answer: (row) => ({ status: 201, data: presentOffer(row) }),
    }),
    tenantRoute('PUT', '/:id/offers/:offer_id', {
      operationId: 'updateOffer',
      summary: 'Change an offer',
      tags,
      errors: ['POLICY.ARCHIVED', 'PRODUCT.ARCHIVED'],
      description:
        'Licenses of earlier sales follow when the shop reports about them the next time, or when their sale is applied ' +
        'again.',
      params: OfferParams,
      body: UpdateOffer,
      response: { 200: Envelope(Offer) },
      async handler({ request, tenant, actor }) {
        const { id: connectionId, offer_id: id } = request.params;
        const row = await updateOffer(services, tenant, actor, { connectionId, id, input: request.body });
        return success(request, presentOffer(row));
      },
    }),
    tenantRoute('DELETE', '/:id/offers/:offer_id', {
      operationId: 'deleteOffer',
      summary: 'Delete an offer',
      tags,
      description: 'Licenses that it has become stay as they are; later sales of the item become a problem.',
      params: OfferParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, tenant, actor }) {
        const { id: connectionId, offer_id: id } = request.params;
        await deleteOffer(services, tenant, actor, { connectionId, id });
        return successDeleted(request, id);
      },
    }),
  ];
}
