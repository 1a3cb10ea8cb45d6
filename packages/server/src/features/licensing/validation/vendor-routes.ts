import { Envelope } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { readLicenseKey } from '../licenses/service.ts';
import { answerVendorValidation } from './answer.ts';
import { ValidateLicense, Verdict } from './schemas.ts';

/** Registers the route by which the vendor validates a license like an application does. */
export function vendorValidationRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute({
      method: 'POST',
      url: '/:id/validate',
      readsOnly: true,
      schema: {
        operationId: 'tryLicense',
        summary: 'Validate a license by its id',
        tags: ['Licenses'],
        errors: ['LICENSE.NOT_FOUND'],
        description:
          'Has the verdict of `POST /integration/licenses/{key}/validate` with the same body. It counts as a ' +
          'validation, and starts the term of a license whose term begins with the first one.',
        params: IdParams,
        body: ValidateLicense,
        response: { 200: Envelope(Verdict) },
      },
      async handler({ request, tenant, actor }) {
        const key = await readLicenseKey(tenant.db, request.params.id);
        return await answerVendorValidation(services, { request, tenant, actor, key, input: request.body });
      },
    }),
  ];
}
