import type { Verdict } from './api-types.ts';
import type { ProofReason, RefusalReason } from './codes.ts';
import { configurationError, given } from './error.ts';
import { type SignedClaims, type VerificationOptions, verifyToken } from './jws.ts';
import { fromWire } from './naming.ts';

/** The options of `verifyVerdict`: the keys, and the question that the verdict must answer. */
export interface VerifyVerdictOptions extends VerificationOptions {
  /** The nonce of this question. Never pass the same nonce twice. */
  readonly nonce: string;
  /** The license key of the question. Its last characters are compared: the proof does not reveal the key. */
  readonly licenseKey?: string | undefined;
  /** The id of the license, as the first proven verdict reported it. Pass it as soon as it is known. */
  readonly licenseId?: string | undefined;
  /** The code of the product that the license must belong to. */
  readonly product?: string | undefined;
  /** The fingerprint of the question. */
  readonly fingerprint?: string | undefined;
  /** The entitlements of the question, in its order. */
  readonly entitlements?: readonly string[] | undefined;
  readonly versionReleasedAt?: string | Date | undefined;
}

/** The claims of a signed verdict. */
export interface VerdictClaims extends SignedClaims {
  readonly nonce: string;
  readonly valid: boolean;
  readonly code: string;
  readonly keyHint: string;
  readonly product: string | null;
  readonly fingerprint: string | null;
  readonly entitlements?: readonly string[];
  readonly versionReleasedAt?: string;
}

/** A verdict with the claims that prove it. Without proof it is invalid, with a code `PROOF.…`, and says nothing else. */
export interface VerifiedVerdict extends Verdict {
  /** Null if the proof is refused. Everything that is not in the claims is not proven. */
  readonly claims: VerdictClaims | null;
}

/**
 * Verifies that the service signed a verdict, and that the verdict answers this question. A proxy or a fake server can
 * neither make nor reuse a proof. Treat the result of a refused proof like a service that cannot be reached. Throws
 * `CONFIGURATION.INVALID` only for options that cannot work, never because of the verdict.
 */
export async function verifyVerdict(verdict: Verdict, options: VerifyVerdictOptions): Promise<VerifiedVerdict> {
  given(options, 'verifyVerdict(verdict, { nonce, jwks, issuer, audience })');
  if (!options.nonce) throw configurationError('`nonce` must be the one of the question.');
  const proof: string | null | undefined = verdict?.proof;
  const { claims: signed, refusal } = await verifyToken(proof, 'verdict+jwt', options);
  const deny = (reason: RefusalReason | ProofReason, detail: string): VerifiedVerdict => ({
    valid: false,
    code: `PROOF.${reason}`,
    detail,
    checkedAt: (options.now ?? new Date()).toISOString(),
    nonce: null,
    license: null,
    activation: null,
    entitlements: [],
    claims: null,
  });
  if (proof === undefined || proof === null)
    return deny('MISSING', 'The verdict has no proof. Ask with `proof: true`.');
  if (refusal) return deny(refusal.reason, refusal.detail);
  const claims = fromWire(signed) as VerdictClaims;
  if (typeof claims.valid !== 'boolean' || typeof claims.code !== 'string') {
    return deny('MALFORMED', 'It is no verdict. Ask again.');
  }
  if (claims.nonce !== options.nonce) {
    return deny('NONCE_MISMATCH', 'The proof answers another request: it was recorded. Ask again.');
  }
  const { product, fingerprint } = options;
  if (fingerprint !== undefined && claims.fingerprint !== fingerprint) {
    return deny('FINGERPRINT_MISMATCH', 'It is for another device. Ask again.');
  }
  // A negative verdict names the product of the license, which may be the reason for the verdict.
  if (claims.valid && product !== undefined && claims.product !== product) {
    return deny('PRODUCT_MISMATCH', 'It is for another product. Check `product` and the license key.');
  }
  if (!answers(claims, options)) return deny('QUESTION_MISMATCH', 'The proof answers another question. Ask again.');
  if (!agrees(claims, verdict))
    return deny('VERDICT_MISMATCH', 'The verdict was changed: it differs from its proof. Ask again.');
  return { ...verdict, claims };
}

/** Returns true if the fields of a verdict that decide are the signed ones. */
function agrees(claims: VerdictClaims, { valid, code, nonce, license }: Verdict): boolean {
  const isSame = claims.valid === valid && claims.code === code && claims.nonce === nonce;
  return isSame && claims.sub === (license?.id ?? null);
}

/** Returns true if the question that was signed has every given condition. */
function answers(claims: VerdictClaims, question: VerifyVerdictOptions): boolean {
  const { licenseKey, licenseId, entitlements, versionReleasedAt } = question;
  const conditions = [
    [licenseKey && hintOf(licenseKey), claims.keyHint],
    [licenseId, claims.sub],
    [entitlements && JSON.stringify(entitlements), JSON.stringify(claims.entitlements)],
    [versionReleasedAt && new Date(versionReleasedAt).getTime(), Date.parse(claims.versionReleasedAt ?? '')],
  ];
  return conditions.every(([asked, signed]) => asked === undefined || asked === signed);
}

/** Returns the end of a license key as the service writes it: at most 4 characters, and at most a quarter of the key. */
function hintOf(licenseKey: string): string {
  return `…${licenseKey.slice(licenseKey.length - Math.min(4, Math.floor(licenseKey.length / 4)))}`;
}
