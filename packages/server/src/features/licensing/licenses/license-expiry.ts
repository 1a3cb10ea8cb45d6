import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';

/** The columns of a policy that decide what happens after the end of its licenses. */
export type ExpiryPolicy = Pick<PoliciesTable, 'expiry_strategy' | 'grace_days'>;

/**
 * Returns whether `now` is before the end of the license (`running`), within the grace days after it, or after both.
 * Under a policy with `expiry_strategy: allow` there is no grace period: the state is `expired` immediately.
 */
export function licenseEndState(
  { expires_at }: Pick<LicensesTable, 'expires_at'>,
  policy: ExpiryPolicy,
  now: Timestamp,
): 'running' | 'grace' | 'expired' {
  if (expires_at === null || now < expires_at) return 'running';
  const inGrace = policy.expiry_strategy === 'deny' && now < addDays(expires_at, policy.grace_days);
  return inGrace ? 'grace' : 'expired';
}
