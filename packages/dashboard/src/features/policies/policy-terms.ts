import type { Policy, PolicyEntitlement } from '../../api/tenant-catalog.ts';
import { formatNumber, formatRate, words } from '../../lib/text.ts';
import { daysText, monthsText, secondsText } from './summary.ts';
import { fingerprintMatchings, renewalBases } from './values.ts';

/** A term of a policy in words. */
interface PolicyTerm {
  readonly label: string;
  readonly value: string;
}

/** Returns every term of a policy in words, as its page shows them. */
export function termsOf(policy: Policy): readonly PolicyTerm[] {
  const number = (value: number | null) => (value === null ? 'Any number' : formatNumber(value));
  const yesNo = (value: boolean) => (value ? 'Yes' : 'No');
  return [
    { label: 'Valid for', value: termText(policy) },
    { label: 'The term starts', value: `At ${words(policy.expiry_basis).toLowerCase()}` },
    { label: 'Grace period', value: policy.grace_days === 0 ? 'None' : daysText(policy.grace_days) },
    {
      label: 'After the grace period',
      value: policy.expiry_strategy === 'deny' ? 'The license stops working' : 'The license works, marked as expired',
    },
    { label: 'Devices', value: number(policy.max_activations) },
    { label: 'Devices above the limit', value: percent(policy.activation_overage_percent) },
    { label: 'Only on activated devices', value: yesNo(policy.require_activation) },
    { label: 'A device is the same', value: fingerprintMatchings[policy.fingerprint_matching] },
    {
      label: 'Release a device after',
      value: policy.lease_seconds === null ? 'Never' : secondsText(policy.lease_seconds),
    },
    { label: 'Moves to another device', value: number(policy.max_deactivations) },
    {
      label: 'Updates for',
      value: policy.maintenance_days === null ? 'All releases' : daysText(policy.maintenance_days),
    },
    { label: 'Works offline for', value: secondsText(policy.offline_ttl_seconds_max) },
    { label: 'A renewal counts from', value: renewalBases[policy.renewal_basis] },
    { label: 'Key prefix', value: policy.key_prefix ?? '—' },
    { label: 'Customers may replace their key', value: yesNo(policy.holder_may_replace_key) },
    { label: 'A trial needs an email address', value: yesNo(policy.trial_requires_email) },
    { label: 'Entitlements', value: policy.entitlements.map(grantText).join(', ') || '—' },
  ];
}

const percent = (value: number | null) => (value === null ? 'Any number' : formatRate(value));

function termText({ duration_days, duration_months, ends_with_month }: Policy): string {
  if (duration_months === null && duration_days === null) return 'Forever';
  const length = duration_months === null ? daysText(duration_days ?? 0) : monthsText(duration_months);
  return ends_with_month ? `${length}, until the end of that month` : length;
}

/** Returns what a policy grants in a few words: `renders: 1,000 per month`. */
function grantText({ code, value, limit, reset }: PolicyEntitlement): string {
  if (limit !== undefined && limit !== null) {
    return `${code}: ${formatNumber(limit)}${reset === undefined || reset === 'none' ? '' : ` per ${reset}`}`;
  }
  return value === undefined || value === null ? code : `${code}: ${String(value)}`;
}
