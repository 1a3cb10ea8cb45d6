import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import { andThen } from '../../../lib/maybe-promise.ts';
import type { Services } from '../../../services.ts';
import { EntitlementChecks } from './schemas.ts';
import { checkLicenseById } from './service.ts';

/** Registers the route by which the vendor reads the effective entitlements of a license. */
export function vendorEntitlementCheckRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute({
      method: 'GET',
      url: '/:id/entitlements',
      schema: {
        operationId: 'listLicenseEntitlements',
        summary: 'Read the effective entitlements of a license',
        tags: ['Licenses'],
        errors: ['LICENSE.NOT_FOUND'],
        description:
          'Responds with every entitlement that the policy or the license lists: its origin, its limit and its use in ' +
          'the current period. An unusable license gives no access; the reason is the code of its verdict.',
        params: IdParams,
        response: { 200: Envelope(EntitlementChecks) },
      },
      handler({ request, tenant }) {
        const checks = checkLicenseById(services, tenant, request.params.id);
        return andThen(checks, (entitlements) => success(request, { entitlements }));
      },
    }),
  ];
}
