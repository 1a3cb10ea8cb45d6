import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import { type Timestamp, toEpochMs } from '../../../lib/clock.ts';
import { addDays, addSeconds } from '../../../lib/duration.ts';

type TermsPolicy = Pick<
  PoliciesTable,
  'offline_ttl_seconds_max' | 'expiry_strategy' | 'grace_days' | 'require_activation'
>;

/** What a policy and a product say about the certificates of a license. */
export interface CertificateTerms extends TermsPolicy {
  readonly product_code: string;
  readonly policy_code: string;
}

/** What ends by itself: the license, and the lease of the activation that asks. Null: no end. */
export interface CertifiedRight {
  readonly expires_at: Timestamp | null;
  readonly lease_expires_at: Timestamp | null;
}

/**
 * The end of a certificate in whole seconds since the epoch: after the seconds asked for or the policy's most, and
 * never after the moment from which the verdict denies: the license's end with its grace, unless the policy lets
 * expired licenses run, and the end of the lease where the policy requires an activation.
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
  return Math.min(...ends.map(toSeconds));
}

/** Whole seconds since the epoch (`NumericDate` of RFC 7519); the fraction is cut off. */
export function toSeconds(timestamp: Timestamp): number {
  return Math.floor(toEpochMs(timestamp) / 1000);
}
