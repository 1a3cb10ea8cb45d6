import { devicesText, notLimitedText } from '../../lib/devices.ts';
import { language } from '../../lib/language.ts';
import { count, formatNumber } from '../../lib/text.ts';
import type { NumberValue, PolicyValues } from './values.ts';

/** The terms of a policy that its summary describes. */
export type PolicyTerms = Pick<
  PolicyValues,
  | 'duration_days'
  | 'duration_months'
  | 'ends_with_month'
  | 'expiry_basis'
  | 'expiry_strategy'
  | 'grace_days'
  | 'max_activations'
  | 'activation_overage_percent'
  | 'require_activation'
  | 'lease_seconds'
  | 'maintenance_days'
  | 'entitlements'
>;

const starts: Readonly<Record<PolicyTerms['expiry_basis'], string>> = {
  creation: '',
  first_validation: ' from first validation',
  first_activation: ' from first activation',
};

/** Returns a number of days in the largest unit that divides it: `1 year`, `2 weeks`, `45 days`. */
export function daysText(days: number): string {
  if (days > 0 && days % 365 === 0) return count(days / 365, 'year');
  if (days >= 60 && days % 30 === 0) return count(days / 30, 'month');
  return count(days, 'day');
}

const units = [
  { noun: 'day', seconds: 86_400 },
  { noun: 'hour', seconds: 3600 },
  { noun: 'minute', seconds: 60 },
] as const;

/** Returns a number of seconds in the largest unit that divides it: `1 day`, `90 minutes`, `45 seconds`. */
export function secondsText(seconds: number): string {
  const unit = units.find((one) => seconds >= one.seconds && seconds % one.seconds === 0);
  return unit === undefined ? count(seconds, 'second') : count(seconds / unit.seconds, unit.noun);
}

/** Returns months of the calendar as years if they are whole years: `1 year`, `18 months`. */
export function monthsText(months: number): string {
  return months % 12 === 0 ? count(months / 12, 'year') : count(months, 'month');
}

function term({ duration_days: days, duration_months: months, expiry_basis, ends_with_month }: PolicyTerms): string {
  if (months === '' && days === '') return 'Valid forever';
  const length = months === '' ? daysText(Number(days)) : monthsText(months);
  return `Valid for ${length}${starts[expiry_basis]}${ends_with_month ? ', until the end of that month' : ''}`;
}

/** Returns the most devices that may be active at once: the limit with its overage, rounded down. Null: any number. */
function admittedDevices(limit: number, percent: NumberValue): number | null {
  return percent === '' ? null : Math.floor((limit * (100 + percent)) / 100);
}

function devices({ max_activations: limit, activation_overage_percent: percent }: PolicyTerms): string {
  if (limit === '') return `on ${devicesText(null, null)}`;
  return `on ${limit === 0 ? '' : 'up to '}${devicesText(limit, admittedDevices(limit, percent))}`;
}

function leases({ lease_seconds: lease }: PolicyTerms): string[] {
  return lease === '' ? [] : [`each released after ${secondsText(lease)} without a heartbeat`];
}

function end({ duration_days, duration_months, grace_days: grace, expiry_strategy }: PolicyTerms): string[] {
  if (duration_days === '' && duration_months === '') return [];
  const after = grace === '' || grace === 0 ? [] : [`then ${daysText(grace)} of grace`];
  return expiry_strategy === 'allow' ? [...after, 'and usable after it expires'] : after;
}

function maintenance({ maintenance_days: days }: PolicyTerms): string {
  return days === '' ? '' : ` Updates are included for ${daysText(days)}.`;
}

function activation({ require_activation: isRequired, max_activations: limit }: PolicyTerms): string {
  if (isRequired) return ' Each device must be activated.';
  return limit === '' ? '' : ` ${notLimitedText}`;
}

const periods = { none: 'in total', day: 'per day', week: 'per week', month: 'per month', year: 'per year' } as const;

function quantities({ entitlements }: PolicyTerms): string {
  const texts = entitlements.flatMap(({ code, limit, reset }) =>
    limit === '' ? [] : [`${formatNumber(limit)} ${code} ${periods[reset]}`],
  );
  return texts.length === 0 ? '' : ` Includes ${new Intl.ListFormat(language).format(texts)}.`;
}

/**
 * Returns what the licenses of a policy are, in one sentence: "Valid for 1 year from first activation, on up to 3 devices,
 * then 14 days of grace." Required activation, quantities and updates follow in sentences of their own.
 */
export function policySummary(terms: PolicyTerms): string {
  const parts = [term(terms), devices(terms), ...leases(terms), ...end(terms)];
  return `${parts.join(', ')}.${activation(terms)}${quantities(terms)}${maintenance(terms)}`;
}
