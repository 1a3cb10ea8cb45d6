import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { readLicenseKey } from '../licenses/service.ts';
import { certificateErrors } from './routes.ts';
import { Certificate, IssueCertificate } from './schemas.ts';
import { issueCertificate } from './service.ts';

/** Registers the route by which the vendor issues an offline certificate of a license. */
export function vendorCertificateRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute({
      method: 'POST',
      url: '/:id/certificate',
      readsOnly: true,
      schema: {
        operationId: 'issueLicenseCertificate',
        summary: 'Issue an offline certificate by the id of the license',
        tags: ['Licenses'],
        errors: certificateErrors,
        description:
          'Has the rules of `POST /integration/licenses/{key}/certificate`: it counts as a validation, and when the ' +
          'verdict is not valid, the response is 422 with its code.',
        params: IdParams,
        body: IssueCertificate,
        response: { 200: Envelope(Certificate) },
      },
      async handler({ request, tenant, actor }) {
        const key = await readLicenseKey(tenant.db, request.params.id);
        return success(request, await issueCertificate(services, tenant, actor, key, request.body));
      },
    }),
  ];
}
