import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { Services } from '../../../services.ts';
import { Snapshot } from './schemas.ts';
import { takeSnapshot } from './service.ts';

/** Routes that help developers to integrate the service. */
export function devToolsRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '/snapshot', {
      operationId: 'getDeveloperSnapshot',
      summary: 'Read a snapshot for developers',
      tags: ['Developer tools'],
      description: 'Versions, counts, limits, the last failed requests, and code snippets. Contains no secrets.',
      response: { 200: Envelope(Snapshot) },
      async handler({ request, tenant }) {
        return success(request, await takeSnapshot(services, tenant));
      },
    }),
  ];
}
