import { Type } from 'typebox';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { Services } from '../../../services.ts';
import { creatingRoute } from '../../tenant-core/idempotency/creating-route.ts';
import { KeyParams } from '../licenses/schemas.ts';
import { listUsage, readUsageSeries } from './list-service.ts';
import { recordUsage } from './recording-service.ts';
import { ReportUsage, UsageBucket, UsagePoint, UsageQuery, UsageReport, UsageSeriesQuery } from './schemas.ts';

/**
 * Registers the route by which the vendor reads the usage of metered entitlements. Applications report usage elsewhere.
 */
export function usageRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'listUsage',
      summary: 'List usage',
      tags: ['Usage'],
      description:
        'Quantities per bucket, license and entitlement, newest first. Buckets without usage are omitted. The list ' +
        'contains the buckets that begin at `from` or later and before `to`. The usage of deleted licenses stays ' +
        'listed until its retention period ends.',
      querystring: UsageQuery,
      response: { 200: PageEnvelope(UsageBucket) },
      async handler({ request, tenant }) {
        return successPage(request, await listUsage(tenant.db, request.query));
      },
    }),
    tenantRoute('GET', '/series', {
      operationId: 'getUsageSeries',
      summary: 'Sum usage over time',
      tags: ['Usage'],
      description: 'The usage of all licenses or of one in every bucket of a range, at most 100, oldest first.',
      querystring: UsageSeriesQuery,
      response: { 200: Envelope(Type.Array(UsagePoint)) },
      async handler({ request, tenant }) {
        return success(request, await readUsageSeries(services, tenant.db, request.query));
      },
    }),
  ];
}

/** Registers the route by which a vendor's application reports the usage of metered entitlements. */
export function integrationUsageRoutes(services: Services): TenantRoute[] {
  return [
    creatingRoute(services, '/licenses/:key/usage', {
      scope: 'usage:write',
      operationId: 'reportUsage',
      summary: 'Report usage',
      tags: ['Integration'],
      errors: ['LICENSE.NOT_FOUND'],
      description:
        'Each event is counted completely or not, in the periods of its `occurred_at` (default: now), at most ' +
        '35 days in the past and 5 minutes in the future. An event beyond a limit with `overage: deny` is refused, and ' +
        'one for a license that was not usable at `occurred_at`. An event with an `idempotency_key` can be sent again: ' +
        'a counted one is then a `duplicate`, and a refused one is evaluated again, unless the whole report is a replay.',
      params: KeyParams,
      body: ReportUsage,
      response: { 200: Envelope(UsageReport) },
      create: ({ request, tenant, actor }) => recordUsage(services, tenant, actor, request.params.key, request.body),
      answer: (report) => ({ status: 200, data: report }),
    }),
  ];
}
