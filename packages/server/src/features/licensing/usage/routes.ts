import { PageEnvelope, successPage } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { Services } from '../../../services.ts';
import { listUsage } from './list-service.ts';
import { UsageBucket, UsageQuery } from './schemas.ts';

/** What licenses used of metered entitlements, as the vendor sees it. Applications report it. */
export function usageRoutes(_services: Services): TenantRoute[] {
  return [
    tenantRoute({
      method: 'GET',
      url: '',
      schema: {
        summary: 'List usage',
        tags: ['Usage'],
        description:
          'Quantities per bucket, license and entitlement, newest first; buckets without usage are left out. `from` ' +
          'and `to` are moments at which buckets begin: the first is included, the second is not. Deleted licenses ' +
          'keep their history here until its retention ends.',
        querystring: UsageQuery,
        response: { 200: PageEnvelope(UsageBucket) },
      },
      async handler({ request, tenant }) {
        return successPage(request, await listUsage(tenant.db, request.query));
      },
    }),
  ];
}
