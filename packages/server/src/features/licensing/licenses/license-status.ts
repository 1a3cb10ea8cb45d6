import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { Timestamp } from '../../../lib/clock.ts';
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
