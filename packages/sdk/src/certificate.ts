import type { EntitlementCheck } from './api-types.ts';
import type { LicensingCode, RefusalReason } from './codes.ts';
import { configurationError, given } from './error.ts';
import { type SignedClaims, type VerificationOptions, verifyToken } from './jws.ts';
import { fromWire } from './naming.ts';

/** The options of `verifyCertificate`. */
export interface VerifyCertificateOptions extends VerificationOptions {
  /** The fingerprint of this device. A certificate for another device, or for none, is refused. */
  readonly fingerprint?: string | undefined;
  /** The code of the product that the certificate must be for. */
  readonly product?: string | undefined;
  /** When this version of the application was released. It must not be after the end of the maintenance. */
  readonly versionReleasedAt?: string | Date | undefined;
}

/** The claims of a certificate. */
export interface CertificateClaims extends SignedClaims {
  readonly sub: string;
  readonly nbf: number;
  readonly jti: string;
  /** The end of the license key. */
  readonly keyHint: string;
  readonly product: string;
  readonly policy: string;
  readonly fingerprint: string | null;
  readonly entitlements: readonly CertifiedEntitlement[];
  /** When the license ends. In all four: null in a certificate of a service that does not say it. */
  readonly licenseExpiresAt: string | null;
  readonly maintenanceExpiresAt: string | null;
  readonly holderName: string | null;
  readonly seats: number | null;
}

/** An entitlement that a certificate grants. */
export type CertifiedEntitlement = Pick<EntitlementCheck, 'code' | 'type' | 'value' | 'limit' | 'expiresAt'>;

/** What a certificate says about its license. */
export interface CertifiedLicense {
  readonly id: string;
  readonly keyHint: string;
  /** The code of the product. */
  readonly product: string;
  /** The code of the policy. */
  readonly policy: string;
  /** When the license ends, without its grace period; null: never. The certificate itself may end earlier. */
  readonly expiresAt: string | null;
  /** The license does not cover releases after this time; null: it covers every release. */
  readonly maintenanceExpiresAt: string | null;
  readonly holder: { readonly name: string | null };
  /** The number of seats; null: unlimited. */
  readonly maxActivations: number | null;
}

/** The result of verifying a certificate, in the form of a verdict. */
export interface CertificateVerdict {
  readonly valid: boolean;
  /** `LICENSE.VALID`, or why the certificate is refused: `CERTIFICATE.EXPIRED`, `LICENSE.MAINTENANCE_EXPIRED`. */
  readonly code: LicensingCode;
  readonly detail: string;
  readonly checkedAt: string;
  readonly nonce: null;
  /** Null unless the signature is correct. */
  readonly license: CertifiedLicense | null;
  /** Null unless the certificate is bound to a device. */
  readonly activation: { readonly fingerprint: string } | null;
  /** Nothing has access unless the certificate is valid. Counters are unknown offline. */
  readonly entitlements: EntitlementCheck[];
  /** Null unless the signature is correct. */
  readonly claims: CertificateClaims | null;
}

/**
 * Verifies an offline certificate without a network. Returns the reason when it is refused; throws
 * `CONFIGURATION.INVALID` only for options that cannot work, never because of the token. Certificates of services before
 * version 1.1 do not name the end of the maintenance and pass with every `versionReleasedAt`.
 */
export async function verifyCertificate(token: string, options: VerifyCertificateOptions): Promise<CertificateVerdict> {
  const {
    now = new Date(),
    fingerprint,
    product,
    versionReleasedAt,
  } = given(options, 'verifyCertificate(token, { jwks, issuer, audience })');
  const releasedMs = versionReleasedAt === undefined ? null : new Date(versionReleasedAt).getTime();
  if (Number.isNaN(releasedMs)) throw configurationError('`versionReleasedAt` must be a date.');
  const { claims: signed, refusal } = await verifyToken(token, 'license+jwt', options);
  const claims = claimsOf(signed);
  const deny = (code: RefusalReason, detail: string) => verdictOf(claims, now, `CERTIFICATE.${code}`, detail);
  if (refusal) return deny(refusal.reason, refusal.detail);
  if (claims === null) return deny('MALFORMED', 'It is no certificate. Fetch it again.');
  if (product !== undefined && claims.product !== product) {
    return deny('PRODUCT_MISMATCH', 'It is for another product. Check `product` and the license key.');
  }
  if (fingerprint !== undefined && claims.fingerprint !== fingerprint) {
    return deny('FINGERPRINT_MISMATCH', 'It is for another device. Activate this one.');
  }
  const { maintenanceExpiresAt } = claims;
  if (releasedMs !== null && maintenanceExpiresAt !== null && releasedMs > Date.parse(maintenanceExpiresAt)) {
    const detail = `The maintenance of the license ended before this version: ${maintenanceExpiresAt}. Renew it, or use an older version.`;
    return verdictOf(claims, now, 'LICENSE.MAINTENANCE_EXPIRED', detail);
  }
  return verdictOf(claims, now, 'LICENSE.VALID', 'The certificate is valid.');
}

/** Returns the claims with the names of this package; null if they are not those of a certificate. */
function claimsOf(claims: SignedClaims | undefined): CertificateClaims | null {
  if (claims === undefined) return null;
  const named = { ...absentClaims, ...(fromWire(claims) as CertificateClaims) };
  const { sub, product, policy, keyHint, fingerprint, entitlements } = named;
  const areTexts = [sub, product, policy, keyHint, fingerprint ?? ''].every((claim) => typeof claim === 'string');
  const areGrants = Array.isArray(entitlements) && entitlements.every((grant) => typeof grant?.code === 'string');
  return areTexts && areGrants && areFacts(named) ? named : null;
}

/** The claims that a service before version 1.1 does not make. */
const absentClaims = { licenseExpiresAt: null, maintenanceExpiresAt: null, holderName: null, seats: null };

function areFacts({ licenseExpiresAt, maintenanceExpiresAt, holderName, seats }: CertificateClaims): boolean {
  const times = [licenseExpiresAt ?? '1970', maintenanceExpiresAt ?? '1970'];
  const areTimes = times.every((time) => typeof time === 'string' && Date.parse(time) >= 0);
  return areTimes && typeof (holderName ?? '') === 'string' && typeof (seats ?? 0) === 'number';
}

function verdictOf(claims: CertificateClaims | null, now: Date, code: string, detail: string): CertificateVerdict {
  const valid = code === 'LICENSE.VALID';
  return {
    valid,
    code,
    detail,
    checkedAt: now.toISOString(),
    nonce: null,
    license: claims && {
      id: claims.sub,
      keyHint: claims.keyHint,
      product: claims.product,
      policy: claims.policy,
      expiresAt: claims.licenseExpiresAt,
      maintenanceExpiresAt: claims.maintenanceExpiresAt,
      holder: { name: claims.holderName },
      maxActivations: claims.seats,
    },
    activation: claims?.fingerprint ? { fingerprint: claims.fingerprint } : null,
    entitlements: (claims?.entitlements ?? []).map((granted) => checkOf(granted, now, valid ? null : code)),
    claims,
  };
}

/** Returns a granted entitlement in the form of an online check. `denial` is the code of a certificate that is refused. */
function checkOf(granted: CertifiedEntitlement, now: Date, denial: string | null): EntitlementCheck {
  const { expiresAt } = granted;
  const hasExpired = expiresAt !== null && Date.parse(expiresAt) <= now.getTime();
  const reason = denial ?? (hasExpired ? 'ENTITLEMENT.EXPIRED' : null);
  const counters = { usage: null, remaining: null, overage: null, resetsAt: null, source: null };
  return { ...counters, ...granted, hasAccess: reason === null, reason };
}
