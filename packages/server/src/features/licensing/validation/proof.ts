import type { TenantDb } from '../../../db/database.ts';
import { toEpochSeconds } from '../../../lib/clock.ts';
import { validationError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import { keyHint } from '../licenses/license-key.ts';
import { signToken } from '../signing-keys/service.ts';
import type { ValidateLicense, Verdict } from './schemas.ts';
import type { VerdictClaims } from './verdict-catalog.ts';

/** The seconds for which a client may use a proof. */
const lifeSeconds = 300;
const nonceLength = { min: 16, max: 128 };

/** Throws 422 unless the nonce has 16 to 128 characters: a proof without a fresh nonce could be an old one. */
export function assertProofNonce({ nonce = '' }: ValidateLicense): void {
  const { length } = [...nonce];
  if (length >= nonceLength.min && length <= nonceLength.max) return;
  const message = `must have ${nonceLength.min} to ${nonceLength.max} characters when a proof is requested`;
  throw validationError({ field: 'nonce', message });
}

/** A verdict with the question that it answers. */
interface ProvenVerdict {
  /** The key in the question, which may be the key of no license. */
  readonly key: string;
  readonly question: ValidateLicense;
  readonly verdict: Verdict;
  /** The code of the license's product; null when there is no license. */
  readonly product: string | null;
}

/**
 * Signs a verdict of any code with the tenant's key. Returns a compact JWS of type `verdict+jwt`. The claims repeat
 * everything in the question that the verdict depends on, so that the proof of a verdict is useless for another
 * question: a proxy could otherwise leave out a condition. Conditions that were not in the question are not in the
 * claims, except `fingerprint`, which is then null.
 */
export function signVerdict(
  services: Services,
  tenant: { readonly id: string; readonly db: TenantDb },
  { key, question, verdict, product }: ProvenVerdict,
): Promise<string> {
  const { fingerprint = null, entitlements, version_released_at } = question;
  const issuedAt = toEpochSeconds(verdict.checked_at);
  const claims: VerdictClaims = {
    iss: services.config.publicUrl,
    aud: tenant.id,
    sub: verdict.license?.id ?? null,
    iat: issuedAt,
    exp: issuedAt + lifeSeconds,
    nonce: verdict.nonce,
    valid: verdict.valid,
    code: verdict.code,
    key_hint: keyHint(key),
    product,
    fingerprint,
    ...(entitlements !== undefined && { entitlements }),
    ...(version_released_at !== undefined && { version_released_at }),
  };
  return signToken(services, tenant.db, { type: 'verdict+jwt', claims });
}
