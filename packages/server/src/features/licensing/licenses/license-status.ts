import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';

export type StoredStatus = LicensesTable['status'];
/** `pending` and `expired` are derived from time, never stored. */
export type LicenseStatus = StoredStatus | 'pending' | 'expired';

/**
 * The status at `now`. A decision of the vendor (revoked, suspended) covers what time says. `expired` begins at
 * `expires_at` exactly; whether grace days or the policy's strategy still let it run is the verdict's matter.
 * `statusFilter` in filter-queries.ts says the same in SQL.
 */
export function deriveStatus(
  license: Pick<LicensesTable, 'status' | 'starts_at' | 'expires_at'>,
  now: Timestamp,
): LicenseStatus {
  if (license.status !== 'active') return license.status;
  if (now < license.starts_at) return 'pending';
  return license.expires_at !== null && now >= license.expires_at ? 'expired' : 'active';
}

export type Transition = 'suspend' | 'reinstate' | 'revoke';

const transitions: Record<Transition, { readonly from: readonly StoredStatus[]; readonly to: StoredStatus }> = {
  suspend: { from: ['active'], to: 'suspended' },
  reinstate: { from: ['suspended'], to: 'active' },
  revoke: { from: ['active', 'suspended'], to: 'revoked' },
};

/**
 * The stored status after a transition; the same status when it was already made.
 * Throws 409 `LICENSE.TRANSITION_INVALID` when the state does not allow it.
 */
export function applyTransition(status: StoredStatus, transition: Transition): StoredStatus {
  const { from, to } = transitions[transition];
  if (status === to || from.includes(status)) return to;
  throw transitionInvalid(`A ${status} license cannot be changed with ${transition}: create a new license instead.`);
}

/** A 409 that says why the license's state does not allow what was asked. */
export function transitionInvalid(message: string): AppError {
  return new AppError('LICENSE.TRANSITION_INVALID', message);
}
