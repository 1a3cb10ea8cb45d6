import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays, addMonths } from '../../../lib/duration.ts';
import { transitionInvalid } from './license-status.ts';

/** The end of a license, and the last release date that it covers. Null: no end, or the term has not started. */
export type LicenseTerm = Pick<LicensesTable, 'expires_at' | 'maintenance_expires_at'>;

/** The columns of a policy that determine the dates of its licenses. */
export type TermPolicy = Pick<
  PoliciesTable,
  'duration_days' | 'duration_months' | 'expiry_basis' | 'renewal_basis' | 'maintenance_days'
>;

/** A number of days, or of months of the calendar. Both null: no end. */
export interface Duration {
  readonly days: number | null;
  readonly months: number | null;
}

function after(start: Timestamp, { days, months }: Duration, timezone: string): Timestamp | null {
  if (months !== null) return addMonths(start, months, timezone);
  return days === null ? null : addDays(start, days);
}

function durationOf({ duration_days, duration_months }: TermPolicy): Duration {
  return { days: duration_days, months: duration_months };
}

function maintenanceOf({ maintenance_days }: TermPolicy): Duration {
  return { days: maintenance_days, months: null };
}

/**
 * Returns the dates of a new license. With the basis `creation` the policy's durations count from `startsAt`; with the
 * other bases the dates are null until `startTerm`. Months are those of the calendar in the tenant's timezone.
 */
export function initialTerm(policy: TermPolicy, startsAt: Timestamp, timezone: string): LicenseTerm {
  if (policy.expiry_basis !== 'creation') return { expires_at: null, maintenance_expires_at: null };
  return {
    expires_at: after(startsAt, durationOf(policy), timezone),
    maintenance_expires_at: after(startsAt, maintenanceOf(policy), timezone),
  };
}

/**
 * Returns the dates after the first validation or activation at `now`. Returns null when nothing changes: the policy
 * has another basis, the vendor has set the dates, or the policy has no duration. The caller must call it only for the
 * first validation or activation, so that a date that the vendor cleared later stays cleared.
 */
export function startTerm(
  policy: TermPolicy,
  term: LicenseTerm,
  basis: 'first_validation' | 'first_activation',
  now: Timestamp,
  timezone: string,
): LicenseTerm | null {
  if (policy.expiry_basis !== basis) return null;
  const started = {
    expires_at: term.expires_at ?? after(now, durationOf(policy), timezone),
    maintenance_expires_at: term.maintenance_expires_at ?? after(now, maintenanceOf(policy), timezone),
  };
  const unchanged =
    started.expires_at === term.expires_at && started.maintenance_expires_at === term.maintenance_expires_at;
  return unchanged ? null : started;
}

/**
 * Returns the dates after a renewal. Each date that is set is extended by `asked`, or else by the policy's durations,
 * counted from the date itself (`from_expiry`) or from `now` (`from_now`). Throws 409 `LICENSE.TRANSITION_INVALID` when
 * no date can be extended.
 */
export function renewTerm(
  policy: TermPolicy,
  term: LicenseTerm,
  now: Timestamp,
  timezone: string,
  asked?: Duration,
): LicenseTerm {
  const move = (date: Timestamp | null, duration: Duration) =>
    date === null ? null : (after(policy.renewal_basis === 'from_now' ? now : date, duration, timezone) ?? date);
  const ends = asked ?? durationOf(policy);
  const maintained = asked ?? maintenanceOf(policy);
  if (!canMove(term.expires_at, ends) && !canMove(term.maintenance_expires_at, maintained)) {
    const message =
      'The license has no date that a renewal can extend. Give the license an end, or give its policy a duration.';
    throw transitionInvalid(message);
  }
  return {
    expires_at: move(term.expires_at, ends),
    maintenance_expires_at: move(term.maintenance_expires_at, maintained),
  };
}

function canMove(date: Timestamp | null, { days, months }: Duration): boolean {
  return date !== null && (days !== null || months !== null);
}
