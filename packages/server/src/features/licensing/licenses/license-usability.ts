import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';

/** Why a license as such is not usable, whoever asks and from wherever. */
export type LicenseDenial = 'LICENSE.REVOKED' | 'LICENSE.SUSPENDED' | 'LICENSE.NOT_STARTED' | 'LICENSE.EXPIRED';

type Dates = Pick<LicensesTable, 'status' | 'created_at' | 'starts_at' | 'expires_at'>;
type ExpiryPolicy = Pick<PoliciesTable, 'expiry_strategy' | 'grace_days'>;

/**
 * Where `now` stands against the end of a license: before it, in the grace days that follow it, or past both.
 * A policy that lets expired licenses run has no use for grace: they are `expired` at once.
 */
export function licenseEndState(license: Dates, policy: ExpiryPolicy, now: Timestamp): 'running' | 'grace' | 'expired' {
  const { expires_at } = license;
  if (expires_at === null || now < expires_at) return 'running';
  const inGrace = policy.expiry_strategy === 'deny' && now < addDays(expires_at, policy.grace_days);
  return inGrace ? 'grace' : 'expired';
}

/** One that starts when it is made has started, also for a node whose clock is behind that of the one that made it. */
function hasStarted({ created_at, starts_at }: Dates, now: Timestamp): boolean {
  return now >= starts_at || starts_at === created_at;
}

/** The first reason why the license is not usable at `now`, in the order of the verdict, or null. */
export function licenseDenial(license: Dates, policy: ExpiryPolicy, now: Timestamp): LicenseDenial | null {
  if (license.status === 'revoked') return 'LICENSE.REVOKED';
  if (license.status === 'suspended') return 'LICENSE.SUSPENDED';
  if (!hasStarted(license, now)) return 'LICENSE.NOT_STARTED';
  const denies = policy.expiry_strategy === 'deny' && licenseEndState(license, policy, now) === 'expired';
  return denies ? 'LICENSE.EXPIRED' : null;
}
