import { Envelope, success } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { applyThrottle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { FoundLicenses, LookupQuery } from './schemas.ts';
import { lookUpKey } from './service.ts';

/** A person who reads the result of each step does not need more; a program that tries keys does. */
const window = { limit: 60, windowSeconds: 60 };

/** The route by which admins find the license of a key among all tenants. */
export function licenseLookupRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute('GET', '/licenses', {
      operationId: 'adminFindLicenses',
      summary: 'Find a license of any tenant by its key',
      tags: ['Tenants'],
      errors: ['RATE_LIMIT.EXCEEDED'],
      querystring: LookupQuery,
      response: { 200: Envelope(FoundLicenses) },
      async handler({ request, reply, admin, actor }) {
        applyThrottle(reply, await services.rateLimits.consume('license-lookup', admin.id, window));
        return success(request, await lookUpKey(services, actor, request.query));
      },
    }),
  ];
}
