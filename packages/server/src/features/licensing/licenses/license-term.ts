import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays, addMonths, endOfMonth } from '../../../lib/duration.ts';
import { AppError } from '../../../lib/error.ts';
import { transitionInvalid } from './license-status.ts';

/** The end of a license, and the last release date that it covers. Null: no end, or the term has not started. */
export type LicenseTerm = Pick<LicensesTable, 'expires_at' | 'maintenance_expires_at'>;

/** A term with its beginning. */
type BegunTerm = LicenseTerm & Pick<LicensesTable, 'term_anchor'>;

/** Returns when the term of a license began: an end that is whole months later keeps its day and time of day. */
function anchorOf({ term_anchor, starts_at }: Pick<LicensesTable, 'term_anchor' | 'starts_at'>): Timestamp {
  return term_anchor ?? starts_at;
}

/** The columns of a policy that determine the dates of its licenses. */
export type TermPolicy = Pick<
  PoliciesTable,
  'duration_days' | 'duration_months' | 'ends_with_month' | 'expiry_basis' | 'renewal_basis' | 'maintenance_days'
>;

/** A number of days, or of months of the calendar. Both null: no end. */
export interface Duration {
  readonly days: number | null;
  readonly months: number | null;
  /** Whether it lasts until the end of the month of the calendar in which it would end. */
  readonly endsWithMonth?: boolean;
}

function after(
  start: Timestamp,
  { days, months, endsWithMonth = false }: Duration,
  timezone: string,
  anchor: Timestamp | null = null,
): Timestamp | null {
  if (months === null && days === null) return null;
  const end = months === null ? addDays(start, days ?? 0) : addMonths(start, months, timezone, anchor);
  return endsWithMonth ? endOfMonth(end, timezone) : end;
}

function durationOf({ duration_days, duration_months, ends_with_month }: TermPolicy): Duration {
  return { days: duration_days, months: duration_months, endsWithMonth: ends_with_month === 1 };
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
): BegunTerm | null {
  if (policy.expiry_basis !== basis) return null;
  const started = {
    term_anchor: now,
    expires_at: term.expires_at ?? after(now, durationOf(policy), timezone),
    maintenance_expires_at: term.maintenance_expires_at ?? after(now, maintenanceOf(policy), timezone),
  };
  const unchanged =
    started.expires_at === term.expires_at && started.maintenance_expires_at === term.maintenance_expires_at;
  return unchanged ? null : started;
}

/** A term that begins with the first validation or activation. Both durations null cannot occur. */
export interface PendingTerm {
  readonly begins_with: 'first_validation' | 'first_activation';
  readonly duration_days: number | null;
  readonly duration_months: number | null;
  /** True: the term goes on until the month ends. */
  readonly ends_with_month: boolean;
}

/** What shows whether the term of a license has begun. `first_activation_id`: null if no device was ever activated. */
type Use = Pick<LicensesTable, 'expires_at' | 'last_validated_at'> & { readonly first_activation_id: string | null };

/** Returns the term of a license that has not begun, as `startTerm` will start it; null if it has begun, or if none begins. */
export function pendingTerm(
  {
    expiry_basis: begins_with,
    duration_days,
    duration_months,
    ends_with_month,
  }: Omit<TermPolicy, 'renewal_basis' | 'maintenance_days'>,
  { expires_at, last_validated_at, first_activation_id }: Use,
): PendingTerm | null {
  const isEndless = duration_days === null && duration_months === null;
  if (expires_at !== null || isEndless || begins_with === 'creation') return null;
  const hasBegun = begins_with === 'first_validation' ? last_validated_at !== null : first_activation_id !== null;
  return hasBegun ? null : { begins_with, duration_days, duration_months, ends_with_month: ends_with_month === 1 };
}

/**
 * Returns the dates after a renewal. Each date that is set is extended by `asked`, or else by the policy's durations,
 * counted from the date itself (`from_expiry`), from `now` (`from_now`), or from the later of the two
 * (`from_expiry_or_now`). Throws 409 `LICENSE.TRANSITION_INVALID` when no date can be extended, and 422
 * `LICENSE.RENEWAL_IN_PAST` when the license would still be expired.
 */
export function renewTerm(
  policy: TermPolicy,
  term: BegunTerm & Pick<LicensesTable, 'starts_at'>,
  now: Timestamp,
  timezone: string,
  asked?: Duration,
): BegunTerm {
  const ends = { ...durationOf(policy), ...asked };
  const maintained = asked ?? maintenanceOf(policy);
  if (!canMove(term.expires_at, ends) && !canMove(term.maintenance_expires_at, maintained)) {
    const message =
      'The license has no date that a renewal can extend. Give the license an end, or give its policy a duration.';
    throw transitionInvalid(message);
  }
  const beginsNow = term.expires_at !== null && countsFromNow(policy, term.expires_at, now);
  const move = (date: Timestamp | null, duration: Duration) => {
    if (date === null) return null;
    if (countsFromNow(policy, date, now)) return after(now, duration, timezone) ?? date;
    return after(date, duration, timezone, anchorOf(term)) ?? date;
  };
  const renewed = {
    expires_at: move(term.expires_at, ends),
    maintenance_expires_at: move(term.maintenance_expires_at, maintained),
    term_anchor: beginsNow ? now : term.term_anchor,
  };
  assertUsable(renewed, now);
  return renewed;
}

/** Returns the end of a license that is extended by `asked`, counted from that end. */
export function extendTerm(
  policy: TermPolicy,
  term: Pick<LicensesTable, 'term_anchor' | 'starts_at'>,
  end: Timestamp,
  asked: Duration,
  timezone: string,
): Timestamp {
  return after(end, { ...durationOf(policy), ...asked }, timezone, anchorOf(term)) ?? end;
}

function countsFromNow({ renewal_basis }: TermPolicy, date: Timestamp, now: Timestamp): boolean {
  return renewal_basis === 'from_now' || (renewal_basis === 'from_expiry_or_now' && date < now);
}

/**
 * Throws 422 `LICENSE.RENEWAL_IN_PAST` for a later end that has passed at `now`: the holder would be told of a renewal, and
 * could still not use the license. `namesEnd`: the message contains the end.
 */
export function assertUsable({ expires_at }: Pick<LicenseTerm, 'expires_at'>, now: Timestamp, namesEnd = true): void {
  if (expires_at === null || expires_at > now) return;
  const message =
    `The license would still be expired${namesEnd ? `: its new end would be ${expires_at}` : ''}. Renew it by a longer duration, ` +
    'set its end, or let renewals of its policy count from the present.';
  throw new AppError('LICENSE.RENEWAL_IN_PAST', message, { details: [{ field: 'expires_at', message }] });
}

function canMove(date: Timestamp | null, { days, months }: Duration): boolean {
  return date !== null && (days !== null || months !== null);
}
