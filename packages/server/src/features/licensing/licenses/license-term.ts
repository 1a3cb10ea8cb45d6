import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { transitionInvalid } from './license-status.ts';

/** The end of a license, and the last release date that it covers. Null: no end, or the term has not started. */
export type LicenseTerm = Pick<LicensesTable, 'expires_at' | 'maintenance_expires_at'>;

/** The columns of a policy that determine the dates of its licenses. */
export type TermPolicy = Pick<PoliciesTable, 'duration_days' | 'expiry_basis' | 'renewal_basis' | 'maintenance_days'>;

function after(start: Timestamp, days: number | null): Timestamp | null {
  return days === null ? null : addDays(start, days);
}

/**
 * Returns the dates of a new license. With the basis `creation` the policy's days count from `startsAt`; with the other
 * bases the dates are null until `startTerm`.
 */
export function initialTerm(policy: TermPolicy, startsAt: Timestamp): LicenseTerm {
  if (policy.expiry_basis !== 'creation') return { expires_at: null, maintenance_expires_at: null };
  return {
    expires_at: after(startsAt, policy.duration_days),
    maintenance_expires_at: after(startsAt, policy.maintenance_days),
  };
}

/**
 * Returns the dates after the first validation or activation at `now`. Returns null when nothing changes: the policy
 * has another basis, the vendor has set the dates, or the policy has no days. The caller must call it only for the
 * first validation or activation, so that a date that the vendor cleared later stays cleared.
 */
export function startTerm(
  policy: TermPolicy,
  term: LicenseTerm,
  basis: 'first_validation' | 'first_activation',
  now: Timestamp,
): LicenseTerm | null {
  if (policy.expiry_basis !== basis) return null;
  const started = {
    expires_at: term.expires_at ?? after(now, policy.duration_days),
    maintenance_expires_at: term.maintenance_expires_at ?? after(now, policy.maintenance_days),
  };
  const unchanged =
    started.expires_at === term.expires_at && started.maintenance_expires_at === term.maintenance_expires_at;
  return unchanged ? null : started;
}

/**
 * Returns the dates after a renewal. Each date that is set is extended by the policy's days, counted from the date
 * itself (`from_expiry`) or from `now` (`from_now`). Throws 409 `LICENSE.TRANSITION_INVALID` when no date can be
 * extended.
 */
export function renewTerm(policy: TermPolicy, term: LicenseTerm, now: Timestamp): LicenseTerm {
  const move = (date: Timestamp | null, days: number | null) =>
    date === null || days === null ? date : addDays(policy.renewal_basis === 'from_now' ? now : date, days);
  const movable =
    (term.expires_at !== null && policy.duration_days !== null) ||
    (term.maintenance_expires_at !== null && policy.maintenance_days !== null);
  if (!movable) {
    throw transitionInvalid(
      'The policy can extend no date of the license. Set expires_at with PUT, or set duration_days on the policy.',
    );
  }
  return {
    expires_at: move(term.expires_at, policy.duration_days),
    maintenance_expires_at: move(term.maintenance_expires_at, policy.maintenance_days),
  };
}
