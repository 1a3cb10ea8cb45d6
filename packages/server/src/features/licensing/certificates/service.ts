import { toEpochSeconds, toTimestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { withFingerprint } from '../activations/components.ts';
import { keyHint } from '../licenses/license-key.ts';
import { signToken } from '../signing-keys/service.ts';
import type { Verdict } from '../validation/schemas.ts';
import { type RecordedVerdict, validateLicense } from '../validation/validate.ts';
import type { DenialCode } from '../validation/verdict-catalog.ts';
import { certificateEndSeconds } from './certificate.ts';
import { findCertificateTerms } from './queries.ts';
import type { Certificate, CertificateClaims, IssueCertificate } from './schemas.ts';

/**
 * Issues an offline certificate: a signed, expiring statement of what the license grants. It is not a validation, but
 * starts a term that begins with the first one: otherwise a device could work offline without its term ever starting.
 * Throws 404 `LICENSE.NOT_FOUND`, and 422 with the verdict's code when the verdict is not valid.
 */
export async function issueCertificate(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  key: string,
  { ttl_seconds, ...device }: IssueCertificate,
  records: RecordedVerdict = 'term',
): Promise<Certificate> {
  const question = withFingerprint(device);
  const verdict = await validateLicense(services, tenant, actor, key, question, records);
  const { license, activation } = verdict;
  if (!verdict.valid || license === null) throw denied(verdict);
  const terms = await tenant.db.first(findCertificateTerms, [license.id]);
  if (terms === undefined)
    throw new AppError('LICENSE.NOT_FOUND', 'No license has this key. Check it for typing errors.');
  const right = { expires_at: license.expires_at, lease_expires_at: activation?.lease_expires_at ?? null };
  const issuedAt = toEpochSeconds(verdict.checked_at);
  const exp = certificateEndSeconds(terms, right, ttl_seconds, verdict.checked_at);
  const claims: CertificateClaims = {
    iss: services.config.publicUrl,
    aud: tenant.id,
    sub: license.id,
    iat: issuedAt,
    nbf: issuedAt,
    exp,
    jti: newId(),
    key_hint: keyHint(license.key),
    product: terms.product_code,
    policy: terms.policy_code,
    // The one that the device has now, which it checks without a network.
    fingerprint: question.fingerprint ?? null,
    entitlements: grantedBy(verdict),
    license_expires_at: license.expires_at,
    maintenance_expires_at: license.maintenance_expires_at,
    holder_name: license.holder.name,
    seats: license.max_activations,
  };
  const certificate = await signToken(services, tenant.db, { type: 'license+jwt', claims });
  return { certificate, expires_at: toTimestamp(exp * 1000) };
}

/**
 * Returns the granted entitlements: a valid verdict without requested codes contains exactly those. Each carries its
 * own end, because the reader of a certificate cannot query the service. Counters are left out, because they change
 * after the certificate is issued.
 */
function grantedBy({ entitlements }: Verdict) {
  return entitlements.map(({ code, type, value, limit, expires_at }) => ({ code, type, value, limit, expires_at }));
}

function denied({ code, detail }: Verdict): AppError {
  // The code of an invalid verdict is a DenialCode; the response schema only declares a string.
  const denial = code as DenialCode;
  return new AppError(denial, detail, denial === 'LICENSE.NOT_FOUND' ? {} : { status: 422 });
}
