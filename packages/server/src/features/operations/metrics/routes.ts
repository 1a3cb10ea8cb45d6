import { Envelope, success } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import type { Services } from '../../../services.ts';
import { Metrics, MetricsQuery } from './schemas.ts';
import { readMetrics } from './service.ts';

/** How the business and the service go, as operators see it. */
export function metricsRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute({
      method: 'GET',
      url: '/metrics',
      schema: {
        summary: 'Read figures of the platform, or of one tenant',
        tags: ['Metrics'],
        description: 'Counted on every node and up to a second old. Figures of a tenant outlive it.',
        querystring: MetricsQuery,
        response: { 200: Envelope(Metrics) },
      },
      async handler({ request }) {
        return success(request, await readMetrics(services, request.query));
      },
    }),
  ];
}
