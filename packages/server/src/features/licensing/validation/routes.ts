import { Envelope } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { KeyParams } from '../licenses/schemas.ts';
import { readLicenseKey } from '../licenses/service.ts';
import { answerValidation, answerVendorValidation } from './answer.ts';
import { KnownVerdicts } from './known-verdicts.ts';
import { ValidateLicense, Verdict } from './schemas.ts';

/** Registers the route by which a vendor's application validates a license: the hot path of the service. */
export function validationRoutes(services: Services): TenantRoute[] {
  const known = new KnownVerdicts();
  return [
    tenantRoute({
      method: 'POST',
      url: '/licenses/:key/validate',
      scope: 'licenses:validate',
      readsOnly: true,
      schema: {
        operationId: 'validateLicense',
        summary: 'Validate a license',
        tags: ['Integration'],
        description:
          'A negative verdict is a 200 with `valid: false` and a code. The body is optional. Every requested ' +
          'entitlement must be granted. A metered entitlement at its limit is still granted: its entry has no access ' +
          'and the reason `ENTITLEMENT.LIMIT_REACHED`, and the verdict stays valid. With `proof: true` the verdict is ' +
          'signed, whether it is valid or not, so that only the service can have made it.',
        params: KeyParams,
        body: ValidateLicense,
        response: { 200: Envelope(Verdict) },
      },
      handler({ request, reply, tenant, actor }) {
        const { params, body: input } = request;
        return answerValidation(services, known, { request, reply, tenant, actor, key: params.key, input });
      },
    }),
  ];
}

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
