import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { andThen } from '../../../lib/maybe-promise.ts';
import type { Services } from '../../../services.ts';
import { KeyParams } from '../licenses/schemas.ts';
import { CheckEntitlements, EntitlementChecks } from './schemas.ts';
import { checkLicense } from './service.ts';

/** What a vendor's application asks before it opens a feature. */
export function entitlementCheckRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute({
      method: 'POST',
      url: '/licenses/:key/entitlements/check',
      scope: 'entitlements:check',
      readsOnly: true,
      schema: {
        summary: 'Check entitlements',
        tags: ['Integration'],
        description:
          'Per code whether there is access, and why not. Without `entitlements` it tells of all that the policy or ' +
          'the license names. A license that is not usable gives access to none, with the code of its verdict as the ' +
          'reason. It does not count as a validation.',
        params: KeyParams,
        body: CheckEntitlements,
        response: { 200: Envelope(EntitlementChecks) },
      },
      handler({ request, tenant }) {
        const checks = checkLicense(services, tenant, request.params.key, request.body.entitlements);
        return andThen(checks, (entitlements) => success(request, { entitlements }));
      },
    }),
  ];
}
