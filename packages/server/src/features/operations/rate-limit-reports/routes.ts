import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { SeriesQuery } from '../activity/schemas.ts';
import { RateLimitsQuery, RateLimitView } from './schemas.ts';
import { listRateLimits, readRateLimit } from './service.ts';

const tags = ['Rate limits'] as const;
const description =
  'The window is shared by all nodes; if nodes count separately, it is the window of the node that responds. ' +
  'Rejections and requests per key include all nodes and are up to one second old.';

/** Registers the routes with which admins read how tenants use the rate limits of the Integration API. */
export function rateLimitsRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute('GET', '/rate-limits', {
      operationId: 'adminListRateLimits',
      summary: "List the use of tenants' rate limits",
      tags,
      description,
      querystring: RateLimitsQuery,
      response: { 200: PageEnvelope(RateLimitView) },
      async handler({ request }) {
        return successPage(request, await listRateLimits(services, request.query));
      },
    }),
    adminRoute('GET', '/rate-limits/:id', {
      operationId: 'adminGetRateLimit',
      summary: "Read the use of a tenant's rate limit",
      tags,
      errors: ['TENANT.NOT_FOUND'],
      description,
      params: IdParams,
      querystring: SeriesQuery,
      response: { 200: Envelope(RateLimitView) },
      async handler({ request }) {
        return success(request, await readRateLimit(services, request.params.id, request.query));
      },
    }),
  ];
}
