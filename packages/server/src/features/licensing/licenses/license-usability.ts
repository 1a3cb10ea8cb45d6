import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { type ExpiryPolicy, licenseEndState } from './license-expiry.ts';

/** Why a license is not usable, independent of the request. */
export type LicenseDenial = 'LICENSE.REVOKED' | 'LICENSE.SUSPENDED' | 'LICENSE.NOT_STARTED' | 'LICENSE.EXPIRED';

type Dates = Pick<LicensesTable, 'status' | 'created_at' | 'starts_at' | 'expires_at'>;

/** A license that starts when it is created has started, even on a node whose clock is behind the creating node's. */
function hasStarted({ created_at, starts_at }: Dates, now: Timestamp): boolean {
  return now >= starts_at || starts_at === created_at;
}

/** Returns the first reason why the license is not usable at `now`, in the order of the verdict; null when usable. */
export function licenseDenial(license: Dates, policy: ExpiryPolicy, now: Timestamp): LicenseDenial | null {
  if (license.status === 'revoked') return 'LICENSE.REVOKED';
  if (license.status === 'suspended') return 'LICENSE.SUSPENDED';
  if (!hasStarted(license, now)) return 'LICENSE.NOT_STARTED';
  const denies = policy.expiry_strategy === 'deny' && licenseEndState(license, policy, now) === 'expired';
  return denies ? 'LICENSE.EXPIRED' : null;
}
