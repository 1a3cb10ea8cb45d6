import { Type } from 'typebox';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { Services } from '../../../services.ts';
import { listUsage } from './list-service.ts';
import { UsageBucket, UsagePoint, UsageQuery, UsageSeriesQuery } from './schemas.ts';
import { readUsageSeries } from './series-service.ts';

/**
 * Registers the route by which the vendor reads the usage of metered entitlements. Applications report usage elsewhere.
 */
export function usageRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute({
      method: 'GET',
      url: '',
      schema: {
        operationId: 'listUsage',
        summary: 'List usage',
        tags: ['Usage'],
        description:
          'Quantities per bucket, license and entitlement, newest first. Buckets without usage are omitted. The list ' +
          'contains the buckets that begin at `from` or later and before `to`. The usage of deleted licenses stays ' +
          'listed until its retention period ends.',
        querystring: UsageQuery,
        response: { 200: PageEnvelope(UsageBucket) },
      },
      async handler({ request, tenant }) {
        return successPage(request, await listUsage(tenant.db, request.query));
      },
    }),
    tenantRoute({
      method: 'GET',
      url: '/series',
      schema: {
        operationId: 'getUsageSeries',
        summary: 'Sum usage over time',
        tags: ['Usage'],
        description: 'The usage of all licenses or of one in every bucket of a range, at most 100, oldest first.',
        querystring: UsageSeriesQuery,
        response: { 200: Envelope(Type.Array(UsagePoint)) },
      },
      async handler({ request, tenant }) {
        return success(request, await readUsageSeries(services, tenant.db, request.query));
      },
    }),
  ];
}
