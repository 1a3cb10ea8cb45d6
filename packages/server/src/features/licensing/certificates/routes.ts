import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { KeyParams } from '../licenses/schemas.ts';
import { readLicenseKey } from '../licenses/service.ts';
import { Certificate, IssueCertificate } from './schemas.ts';
import { issueCertificate } from './service.ts';

/** The codes with which a certificate is refused. */
const certificateErrors = [
  'LICENSE.NOT_FOUND',
  'LICENSE.REVOKED',
  'LICENSE.SUSPENDED',
  'LICENSE.NOT_STARTED',
  'LICENSE.EXPIRED',
  'ACTIVATION.FINGERPRINT_REQUIRED',
  'ACTIVATION.NOT_FOUND',
  'ACTIVATION.LEASE_EXPIRED',
  'ACTIVATION.LIMIT_EXCEEDED',
] as const;

/** Registers the route that issues offline certificates to a vendor's application. */
export function certificateRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('POST', '/licenses/:key/certificate', {
      scope: 'licenses:validate',
      readsOnly: true,
      operationId: 'issueCertificate',
      summary: 'Issue an offline certificate',
      tags: ['Integration'],
      errors: certificateErrors,
      description:
        'Responds with a JWS that the JWK Set of the tenant verifies. The certificate ends ' +
        'at the latest when the license and its grace period end, or when the lease of a required activation ends. ' +
        'It starts a term that begins with the first validation. When the verdict is not valid, the response is 422 with its code.',
      params: KeyParams,
      body: IssueCertificate,
      response: { 200: Envelope(Certificate) },
      async handler({ request, tenant, actor }) {
        const certificate = await issueCertificate(services, tenant, actor, request.params.key, request.body);
        return success(request, certificate);
      },
    }),
  ];
}

/** Registers the route by which the vendor issues an offline certificate of a license. */
export function vendorCertificateRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('POST', '/:id/certificate', {
      readsOnly: true,
      operationId: 'issueLicenseCertificate',
      summary: 'Issue an offline certificate by the id of the license',
      tags: ['Licenses'],
      errors: certificateErrors,
      description:
        'Has the rules of `POST /integration/licenses/{key}/certificate`, and changes nothing: it starts no term. When the ' +
        'verdict is not valid, the response is 422 with its code.',
      params: IdParams,
      body: IssueCertificate,
      response: { 200: Envelope(Certificate) },
      async handler({ request, tenant, actor }) {
        const key = await readLicenseKey(tenant.db, request.params.id);
        return success(request, await issueCertificate(services, tenant, actor, key, request.body, 'nothing'));
      },
    }),
  ];
}
