import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { withFingerprint } from '../activations/components.ts';
import { KeyParams } from '../licenses/schemas.ts';
import { readLicenseKey } from '../licenses/service.ts';
import { ValidateLicense, Verdict } from './schemas.ts';
import { validateLicense } from './validate.ts';

/** Registers the route by which a vendor's application validates a license: the hot path of the service. */
export function validationRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('POST', '/licenses/:key/validate', {
      scope: 'licenses:validate',
      readsOnly: true,
      operationId: 'validateLicense',
      summary: 'Validate a license',
      tags: ['Integration'],
      description:
        'A negative verdict is a 200 with `valid: false` and a code. The body is optional. Every requested ' +
        'entitlement must be granted. A metered entitlement at its limit is still granted: its entry has no access ' +
        'and the reason `ENTITLEMENT.LIMIT_REACHED`, and the verdict stays valid. With `proof: true` the verdict is ' +
        'signed, whether it is valid or not.',
      params: KeyParams,
      body: ValidateLicense,
      response: { 200: Envelope(Verdict) },
      async handler({ request, tenant, actor }) {
        const { params, body, caller } = request;
        const input = withFingerprint(body);
        const verdict = await validateLicense(services, tenant, actor, params.key, input);
        caller.code = verdict.code;
        caller.licenseId = verdict.license?.id;
        countValidation(services, tenant, verdict);
        recordCheck(services, { tenant, actor, input, verdict });
        return success(request, verdict);
      },
    }),
  ];
}

/** Registers the route by which the vendor validates a license like an application does. */
export function vendorValidationRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('POST', '/:id/validate', {
      readsOnly: true,
      operationId: 'tryLicense',
      summary: 'Validate a license by its id',
      tags: ['Licenses'],
      errors: ['LICENSE.NOT_FOUND'],
      description:
        'Has the verdict of `POST /integration/licenses/{key}/validate` with the same body, and changes nothing: it starts ' +
        'no term.',
      params: IdParams,
      body: ValidateLicense,
      response: { 200: Envelope(Verdict) },
      async handler({ request, tenant, actor }) {
        const key = await readLicenseKey(tenant.db, request.params.id);
        const input = withFingerprint(request.body);
        return success(request, await validateLicense(services, tenant, actor, key, input, 'nothing'));
      },
    }),
  ];
}

function countValidation({ metrics, activity }: Services, tenant: Tenant, { code }: Verdict): void {
  metrics.validations.increment(code);
  activity.countValidation(tenant.id, code);
}

interface Checked {
  readonly tenant: Tenant;
  readonly actor: Actor;
  readonly input: ValidateLicense;
  readonly verdict: Verdict;
}

/** Records what a device was told. A validation by the vendor is not recorded: no device asked. */
function recordCheck({ deviceHistory }: Services, { tenant, actor, input, verdict }: Checked): void {
  if (verdict.license === null) return;
  deviceHistory.record(tenant, verdict.license.id, {
    kind: 'validation',
    fingerprint: input.fingerprint,
    code: verdict.code,
    isAllowed: verdict.valid,
    appVersion: input.app_version,
    address: actor.ip,
    at: verdict.checked_at,
  });
}
