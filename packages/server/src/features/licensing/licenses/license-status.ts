import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { AppError } from '../../../lib/error.ts';

/** The statuses that the vendor sets. */
export type StoredStatus = LicensesTable['status'];
/** `pending` and `expired` are derived from time, never stored. */
export type LicenseStatus = StoredStatus | 'pending' | 'expired';

/**
 * Returns the status at `now`. Revoked and suspended take precedence over the dates. `expired` begins exactly at
 * `expires_at`; grace days and the policy's expiry strategy affect only the verdict. `statusFilter` in
 * filter-queries.ts is the same rule in SQL.
 */
export function deriveStatus(
  license: Pick<LicensesTable, 'status' | 'starts_at' | 'expires_at'>,
  now: Timestamp,
): LicenseStatus {
  if (license.status !== 'active') return license.status;
  if (now < license.starts_at) return 'pending';
  return license.expires_at !== null && now >= license.expires_at ? 'expired' : 'active';
}

/** A change of the stored status. */
export type Transition = 'suspend' | 'reinstate' | 'revoke';

const transitions: Record<Transition, { readonly from: readonly StoredStatus[]; readonly to: StoredStatus }> = {
  suspend: { from: ['active'], to: 'suspended' },
  reinstate: { from: ['suspended'], to: 'active' },
  revoke: { from: ['active', 'suspended'], to: 'revoked' },
};

/**
 * Returns the stored status after a transition. Repeating a transition returns the same status. Throws 409
 * `LICENSE.TRANSITION_INVALID` when the current status does not allow the transition.
 */
export function applyTransition(status: StoredStatus, transition: Transition): StoredStatus {
  const { from, to } = transitions[transition];
  if (status === to || from.includes(status)) return to;
  throw transitionInvalid(`A license with the status ${status} does not allow ${transition}. Create a new license.`);
}

/** Returns a 409 `LICENSE.TRANSITION_INVALID`. The message must say why the license does not allow the action. */
export function transitionInvalid(message: string): AppError {
  return new AppError('LICENSE.TRANSITION_INVALID', message);
}

/** The columns of a policy that decide what happens after the end of its licenses. */
type ExpiryPolicy = Pick<PoliciesTable, 'expiry_strategy' | 'grace_days'>;

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

/** Returns whether a license with a later end may be called renewed: nobody is told so of one that cannot be used. */
export function mayBeRenewed(
  { status, expires_at }: Pick<LicensesTable, 'status' | 'expires_at'>,
  at: Timestamp,
): boolean {
  return status === 'active' && (expires_at === null || expires_at > at);
}

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
