import type { Verdict } from '../api-types.ts';
import { LicensingError } from '../error.ts';
import type { Jwks } from '../jws.ts';
import { verifyVerdict } from '../verdict-proof.ts';
import type { LicenseGuardOptions } from './options.ts';

/** A question whose answer must be signed. */
export interface ProvenQuestion {
  readonly nonce: string;
  readonly fingerprint?: string;
  readonly entitlements?: readonly string[];
  readonly versionReleasedAt?: string;
}

/**
 * Verifies the proof of a verdict and that it answers the question. Returns the id of the license and the time of the
 * answer, from the proof. Throws `PROOF.…`: such a verdict is no answer. This machine's clock may be wrong, because the
 * nonce shows that the proof is new.
 */
export async function provenAnswer(
  verdict: Verdict,
  options: LicenseGuardOptions & { readonly jwks: Jwks },
  question: ProvenQuestion,
  knownLicenseId: string | null,
): Promise<{ readonly licenseId: string | null; readonly serverMs: number }> {
  const { jwks, issuer = '', audience = '', licenseKey, product } = options;
  const { nonce, fingerprint, entitlements, versionReleasedAt } = question;
  const answeredMs = Date.parse(verdict.checkedAt) || 0;
  const { code, detail, claims } = await verifyVerdict(verdict, {
    ...{ jwks, issuer, audience, nonce, licenseKey, fingerprint, entitlements, versionReleasedAt },
    now: new Date(answeredMs),
    // A key of another product and a deleted license are correct answers too.
    product: verdict.valid ? product : undefined,
    licenseId: verdict.license === null ? undefined : (knownLicenseId ?? undefined),
  });
  if (claims === null) throw new LicensingError({ code, message: detail });
  // The signed time has whole seconds. Within the same second, the other one is more exact.
  const signedMs = claims.iat * 1000;
  const isSameSecond = answeredMs >= signedMs && answeredMs < signedMs + 1000;
  return { licenseId: claims.sub, serverMs: isSameSecond ? answeredMs : signedMs };
}
