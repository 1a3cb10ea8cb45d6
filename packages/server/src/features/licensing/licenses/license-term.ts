import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { transitionInvalid } from './license-status.ts';

/** When a license ends, and up to which release date it may be used. Null: no end, or not begun. */
export type LicenseTerm = Pick<LicensesTable, 'expires_at' | 'maintenance_expires_at'>;

/** What a policy says about the dates of its licenses. */
export type TermPolicy = Pick<PoliciesTable, 'duration_days' | 'expiry_basis' | 'renewal_basis' | 'maintenance_days'>;

function after(start: Timestamp, days: number | null): Timestamp | null {
  return days === null ? null : addDays(start, days);
}

/**
 * The dates of a new license. With the basis `creation` its days count from `startsAt`; with the others
 * they stay open until `startTerm`.
 */
export function initialTerm(policy: TermPolicy, startsAt: Timestamp): LicenseTerm {
  if (policy.expiry_basis !== 'creation') return { expires_at: null, maintenance_expires_at: null };
  return {
    expires_at: after(startsAt, policy.duration_days),
    maintenance_expires_at: after(startsAt, policy.maintenance_days),
  };
}

/**
 * The dates after the first validation or activation at `now`, or null when that changes nothing: another basis,
 * dates that were given by hand, or a policy without days. Call it for the very first one only: a date that the
 * vendor cleared later stays cleared.
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
 * The dates after a renewal: each date that is set moves by the policy's days, from itself (`from_expiry`) or from
 * `now` (`from_now`). Throws 409 `LICENSE.TRANSITION_INVALID` when there is no date to move.
 */
export function renewTerm(policy: TermPolicy, term: LicenseTerm, now: Timestamp): LicenseTerm {
  const move = (date: Timestamp | null, days: number | null) =>
    date === null || days === null ? date : addDays(policy.renewal_basis === 'from_now' ? now : date, days);
  const movable =
    (term.expires_at !== null && policy.duration_days !== null) ||
    (term.maintenance_expires_at !== null && policy.maintenance_days !== null);
  if (!movable) {
    throw transitionInvalid(
      'The license has no end that its policy could move: set expires_at with PUT, or duration_days on its policy.',
    );
  }
  return {
    expires_at: move(term.expires_at, policy.duration_days),
    maintenance_expires_at: move(term.maintenance_expires_at, policy.maintenance_days),
  };
}
