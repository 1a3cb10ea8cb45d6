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
import type { Services } from '../../../services.ts';
import { presentActivation, presentActivationDetails } from './activation.ts';
import { deactivateByVendor } from './deactivation-service.ts';
import { findActivationDetails, listActivations } from './queries.ts';
import { ActivationDetails, ActivationQuery, ActivationsQuery } from './schemas.ts';
import { activationNotFound } from './service.ts';

const tags = ['Activations'] as const;

function presenterFor({ include }: { readonly include?: 'details' | undefined }) {
  return include === 'details' ? presentActivationDetails : presentActivation;
}

/** Routes by which the vendor reads and releases activations. Devices create them through the Integration API. */
export function activationRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute({
      method: 'GET',
      url: '',
      schema: {
        operationId: 'listActivations',
        summary: 'List activations',
        tags,
        querystring: ActivationsQuery,
        response: { 200: PageEnvelope(ActivationDetails) },
      },
      async handler({ request, tenant }) {
        const now = services.clock.now();
        const page = toPage(await listActivations(tenant.db, request.query, now), request.query.limit);
        return successPage(request, { ...page, rows: page.rows.map((row) => presenterFor(request.query)(row, now)) });
      },
    }),
    tenantRoute({
      method: 'GET',
      url: '/:id',
      schema: {
        operationId: 'getActivation',
        summary: 'Read an activation',
        tags,
        errors: ['ACTIVATION.NOT_FOUND'],
        params: IdParams,
        querystring: ActivationQuery,
        response: { 200: Envelope(ActivationDetails) },
      },
      async handler({ request, tenant }) {
        const row = await findActivationDetails(tenant.db, request.params.id);
        if (row === undefined) throw activationNotFound();
        return success(request, presenterFor(request.query)(row, services.clock.now()));
      },
    }),
    tenantRoute({
      method: 'DELETE',
      url: '/:id',
      schema: {
        operationId: 'releaseActivation',
        summary: 'Deactivate a device',
        tags,
        errors: ['ACTIVATION.NOT_FOUND'],
        description:
          'Frees the seat; the record stays. Does not count against `max_deactivations`. A repeated request has the ' +
          'same response and no further effect.',
        params: IdParams,
        response: { 200: DeletedEnvelope },
      },
      async handler({ request, tenant, actor }) {
        await deactivateByVendor(services, tenant, actor, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
  ];
}
