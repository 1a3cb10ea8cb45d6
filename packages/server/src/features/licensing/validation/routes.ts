import { Envelope } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { Services } from '../../../services.ts';
import { KeyParams } from '../licenses/schemas.ts';
import { answerValidation } from './answer.ts';
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
