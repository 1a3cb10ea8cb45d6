import { Envelope, success } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import type { Services } from '../../../services.ts';
import { Metrics, MetricsQuery } from './schemas.ts';
import { readMetrics } from './service.ts';

/** Registers the route with which admins read figures about revenue, tenants and activity. */
export function metricsRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute('GET', '/metrics', {
      operationId: 'adminGetMetrics',
      summary: 'Read the metrics of the platform or of one tenant',
      tags: ['Metrics'],
      errors: ['TENANT.NOT_FOUND'],
      description:
        'The figures include all nodes and are up to one second old. The figures of a deleted tenant are kept.',
      querystring: MetricsQuery,
      response: { 200: Envelope(Metrics) },
      async handler({ request }) {
        return success(request, await readMetrics(services, request.query));
      },
    }),
  ];
}
