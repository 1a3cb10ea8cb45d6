import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { KeyParams } from '../licenses/schemas.ts';
import { CheckEntitlements, EntitlementChecks } from './schemas.ts';
import { checkLicenseEntitlements, checkLicenseEntitlementsById } from './service.ts';

/** Registers the route by which a vendor's application checks whether a license grants a feature. */
export function entitlementCheckRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('POST', '/licenses/:key/entitlements/check', {
      scope: 'entitlements:check',
      readsOnly: true,
      operationId: 'checkEntitlements',
      summary: 'Check entitlements',
      tags: ['Integration'],
      errors: ['LICENSE.NOT_FOUND'],
      description:
        'Responds per code whether the license gives access, and if not, why. Without `entitlements` the response ' +
        'contains every entitlement that the policy or the license lists. An unusable license gives no access; the ' +
        'reason is the code of its verdict. The check does not count as a validation.',
      params: KeyParams,
      body: CheckEntitlements,
      response: { 200: Envelope(EntitlementChecks) },
      async handler({ request, tenant, actor }) {
        const { params, body } = request;
        const entitlements = await checkLicenseEntitlements(services, tenant, actor, params.key, body.entitlements);
        return success(request, { entitlements });
      },
    }),
  ];
}

/** Registers the route by which the vendor reads the effective entitlements of a license. */
export function vendorEntitlementCheckRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '/:id/entitlements', {
      operationId: 'listLicenseEntitlements',
      summary: 'Read the effective entitlements of a license',
      tags: ['Licenses'],
      errors: ['LICENSE.NOT_FOUND'],
      description:
        'Responds with every entitlement that the policy or the license lists: its origin, its limit and its use in ' +
        'the current period. An unusable license gives no access; the reason is the code of its verdict.',
      params: IdParams,
      response: { 200: Envelope(EntitlementChecks) },
      async handler({ request, tenant }) {
        return success(request, {
          entitlements: await checkLicenseEntitlementsById(services, tenant, request.params.id),
        });
      },
    }),
  ];
}
