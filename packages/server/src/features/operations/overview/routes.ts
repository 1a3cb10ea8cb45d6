import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { Services } from '../../../services.ts';
import { SeriesQuery } from '../activity/schemas.ts';
import { Overview } from './schemas.ts';
import { readOverview } from './service.ts';

/** Registers the route that shows the state of a tenant at a glance. */
export function overviewRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute({
      method: 'GET',
      url: '',
      schema: {
        operationId: 'getOverview',
        summary: 'Read the overview',
        tags: ['Overview'],
        description: 'The range applies to `validations`; all else is the state now. Figures are up to a second old.',
        querystring: SeriesQuery,
        response: { 200: Envelope(Overview) },
      },
      async handler({ request, tenant }) {
        return success(request, await readOverview(services, tenant, request.query));
      },
    }),
  ];
}
