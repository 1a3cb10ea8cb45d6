import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { Services } from '../../../services.ts';
import { KeyParams } from '../licenses/schemas.ts';
import { Certificate, IssueCertificate } from './schemas.ts';
import { issueCertificate } from './service.ts';

/** What a vendor's application keeps for the time without a connection. */
export function certificateRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute({
      method: 'POST',
      url: '/licenses/:key/certificate',
      scope: 'licenses:validate',
      readsOnly: true,
      schema: {
        summary: 'Issue an offline certificate',
        tags: ['Integration'],
        description:
          'A JWS that any JOSE library verifies with the JWK Set of the tenant. It ends with the license and its ' +
          'grace, and with the lease of a required activation, at the latest. It counts as a validation; when the ' +
          'verdict is not valid the answer is 422 with its code.',
        params: KeyParams,
        body: IssueCertificate,
        response: { 200: Envelope(Certificate) },
      },
      async handler({ request, tenant, actor }) {
        const certificate = await issueCertificate(services, tenant, actor, request.params.key, request.body);
        return success(request, certificate);
      },
    }),
  ];
}
