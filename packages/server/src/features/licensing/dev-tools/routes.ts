import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { Services } from '../../../services.ts';
import { Snapshot } from './schemas.ts';
import { takeSnapshot } from './service.ts';

/** What helps developers to integrate. */
export function devToolsRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute({
      method: 'GET',
      url: '/snapshot',
      schema: {
        summary: 'Read a snapshot for developers',
        tags: ['Developer tools'],
        description: 'Versions, counts, limits, the requests that failed last, and snippets. It holds no secret.',
        response: { 200: Envelope(Snapshot) },
      },
      async handler({ request, tenant }) {
        return success(request, await takeSnapshot(services, tenant));
      },
    }),
  ];
}
