import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import { type Timestamp, toEpochSeconds } from '../../../lib/clock.ts';
import { addDays, addSeconds } from '../../../lib/duration.ts';

type TermsPolicy = Pick<
  PoliciesTable,
  'offline_ttl_seconds_max' | 'expiry_strategy' | 'grace_days' | 'require_activation'
>;

/** The columns of the policy and the product that a certificate of a license needs. */
export interface CertificateTerms extends TermsPolicy {
  readonly product_code: string;
  readonly policy_code: string;
}

/** When the license ends, and the lease of the requesting activation. Null: never. */
export interface CertifiedRight {
  readonly expires_at: Timestamp | null;
  readonly lease_expires_at: Timestamp | null;
}

/**
 * Returns the end of a certificate in whole seconds since the epoch: `ttlSeconds` after `now`, at most the policy's
 * `offline_ttl_seconds_max`. The certificate never outlives a valid verdict, so it ends at the latest when the license
 * and its grace period end (unless the policy allows expired licenses) and when the lease of a required activation
 * ends.
 */
export function certificateEndSeconds(
  policy: TermsPolicy,
  right: CertifiedRight,
  ttlSeconds: number | undefined,
  now: Timestamp,
): number {
  const ttl = Math.min(ttlSeconds ?? policy.offline_ttl_seconds_max, policy.offline_ttl_seconds_max);
  const ends = [addSeconds(now, ttl)];
  if (right.expires_at !== null && policy.expiry_strategy === 'deny') {
    ends.push(addDays(right.expires_at, policy.grace_days));
  }
  if (right.lease_expires_at !== null && policy.require_activation === 1) ends.push(right.lease_expires_at);
  return Math.min(...ends.map(toEpochSeconds));
}
