import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { Services } from '../../../services.ts';
import { SeriesQuery } from '../activity/schemas.ts';
import { readFigures } from './figures-service.ts';
import { Figures, FiguresQuery, Overview } from './schemas.ts';
import { readOverview } from './service.ts';

/** Registers the routes that show the state of a tenant at a glance and the figures of its business. */
export function overviewRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'getOverview',
      summary: 'Read the overview',
      tags: ['Overview'],
      description: 'The range applies to `validations`; all else is the state now. Figures are up to a second old.',
      querystring: SeriesQuery,
      response: { 200: Envelope(Overview) },
      async handler({ request, tenant }) {
        return success(request, await readOverview(services, tenant, request.query));
      },
    }),
    tenantRoute('GET', '/figures', {
      operationId: 'getFigures',
      summary: 'Read the figures by month',
      tags: ['Overview'],
      description:
        'The last 12 months. A trial counts only as a trial until it is converted; imported licenses count as issued.',
      querystring: FiguresQuery,
      response: { 200: Envelope(Figures) },
      async handler({ request, tenant }) {
        return success(request, await readFigures(services, tenant, request.query));
      },
    }),
  ];
}
