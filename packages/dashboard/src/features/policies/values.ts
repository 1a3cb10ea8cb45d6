import type { Policy, PolicyEntitlement, PolicyInput } from '../../api/tenant-catalog.ts';
import { parseJsonField } from '../../components/JsonEditor.tsx';

/** What a renewal counts from, in words. */
export const renewalBases: Readonly<Record<Policy['renewal_basis'], string>> = {
  from_expiry_or_now: 'The end of the term, or now if later',
  from_expiry: 'The end of the term',
  from_now: 'The day of the renewal',
};

/** How a device with another fingerprint is recognised, in words. */
export const fingerprintMatchings: Readonly<Record<Policy['fingerprint_matching'], string>> = {
  exact: 'Only with the same fingerprint',
  most: 'If most of its parts are the same',
  any: 'If any of its parts is the same',
};

/** A number field of a form; an empty field is an empty text. */
export type NumberValue = number | '';

/** A line of the policy's entitlements in the form. */
export interface EntitlementLine {
  readonly code: string;
  /** The value of an entitlement of type `value`. */
  readonly value: string;
  /** The limit of a metered entitlement; empty: unlimited. */
  readonly limit: NumberValue;
  readonly reset: NonNullable<PolicyEntitlement['reset']>;
  readonly overage: NonNullable<PolicyEntitlement['overage']>;
}

/** The values of the policy form. Empty numbers mean "no limit". */
export interface PolicyValues extends Record<string, unknown> {
  readonly product_id: string;
  readonly name: string;
  readonly code: string;
  /** At most one of the two durations is set. */
  readonly duration_days: NumberValue;
  readonly duration_months: NumberValue;
  readonly ends_with_month: boolean;
  readonly expiry_basis: Policy['expiry_basis'];
  readonly expiry_strategy: Policy['expiry_strategy'];
  readonly grace_days: NumberValue;
  readonly renewal_basis: Policy['renewal_basis'];
  readonly maintenance_days: NumberValue;
  readonly max_activations: NumberValue;
  /** Null: unlimited. */
  readonly activation_overage_percent: NumberValue;
  readonly require_activation: boolean;
  readonly fingerprint_matching: Policy['fingerprint_matching'];
  readonly lease_seconds: NumberValue;
  readonly max_deactivations: NumberValue;
  readonly offline_ttl_seconds_max: NumberValue;
  readonly key_prefix: string;
  readonly holder_may_replace_key: boolean;
  readonly trial_requires_email: boolean;
  readonly entitlements: readonly EntitlementLine[];
  /** JSON. */
  readonly metadata: string;
}

/** The values of a new policy: perpetual, without limits. */
export const emptyPolicy: PolicyValues = {
  product_id: '',
  name: '',
  code: '',
  duration_days: '',
  duration_months: '',
  ends_with_month: false,
  expiry_basis: 'creation',
  expiry_strategy: 'deny',
  grace_days: 0,
  renewal_basis: 'from_expiry_or_now',
  maintenance_days: '',
  max_activations: '',
  activation_overage_percent: 0,
  require_activation: false,
  fingerprint_matching: 'exact',
  lease_seconds: '',
  max_deactivations: '',
  offline_ttl_seconds_max: 604_800,
  key_prefix: '',
  holder_may_replace_key: false,
  trial_requires_email: false,
  entitlements: [],
  metadata: '{}',
};

/** A new line for an entitlement. */
export function emptyLine(code = ''): EntitlementLine {
  return { code, value: '', limit: '', reset: 'month', overage: 'deny' };
}

const numberOr = (value: number | null): NumberValue => value ?? '';
const orNull = (value: NumberValue): number | null => (value === '' ? null : value);

function lineOf({ code, value, limit, reset, overage }: PolicyEntitlement): EntitlementLine {
  return {
    code,
    value: value === undefined || value === null ? '' : String(value),
    limit: limit ?? '',
    reset: reset ?? 'none',
    overage: overage ?? 'deny',
  };
}

/** Returns the form's values of an existing policy. */
export function valuesOf(policy: Policy): PolicyValues {
  return {
    product_id: policy.product_id,
    name: policy.name,
    code: policy.code,
    duration_days: numberOr(policy.duration_days),
    duration_months: numberOr(policy.duration_months),
    ends_with_month: policy.ends_with_month,
    expiry_basis: policy.expiry_basis,
    expiry_strategy: policy.expiry_strategy,
    grace_days: policy.grace_days,
    renewal_basis: policy.renewal_basis,
    maintenance_days: numberOr(policy.maintenance_days),
    max_activations: numberOr(policy.max_activations),
    activation_overage_percent: numberOr(policy.activation_overage_percent),
    require_activation: policy.require_activation,
    fingerprint_matching: policy.fingerprint_matching,
    lease_seconds: numberOr(policy.lease_seconds),
    max_deactivations: numberOr(policy.max_deactivations),
    offline_ttl_seconds_max: policy.offline_ttl_seconds_max,
    key_prefix: policy.key_prefix ?? '',
    holder_may_replace_key: policy.holder_may_replace_key,
    trial_requires_email: policy.trial_requires_email,
    entitlements: policy.entitlements.map(lineOf),
    metadata: JSON.stringify(policy.metadata, null, 2),
  };
}

/** What the form knows of the entitlements: their types by code. */
export type EntitlementTypes = ReadonlyMap<string, 'boolean' | 'value' | 'metered'>;

/** Numbers and booleans are sent as such, so that applications need not parse them. */
function typedValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) && Number.isSafeInteger(Math.trunc(Number(text))) ? Number(text) : text;
}

function grantOf({ code, value, limit, reset, overage }: EntitlementLine, types: EntitlementTypes): PolicyEntitlement {
  const type = types.get(code);
  if (type === 'metered') return { code, limit: orNull(limit), reset, overage };
  if (value === '') return { code };
  return { code, value: typedValue(value) };
}

/** Returns the request body of a form's values. */
export function inputOf(values: PolicyValues, types: EntitlementTypes): PolicyInput {
  return {
    product_id: values.product_id,
    name: values.name.trim(),
    code: values.code,
    duration_days: orNull(values.duration_days),
    duration_months: orNull(values.duration_months),
    ends_with_month: values.ends_with_month,
    expiry_basis: values.expiry_basis,
    expiry_strategy: values.expiry_strategy,
    grace_days: orNull(values.grace_days) ?? 0,
    renewal_basis: values.renewal_basis,
    maintenance_days: orNull(values.maintenance_days),
    max_activations: orNull(values.max_activations),
    activation_overage_percent: orNull(values.activation_overage_percent),
    require_activation: values.require_activation,
    fingerprint_matching: values.fingerprint_matching,
    lease_seconds: orNull(values.lease_seconds),
    max_deactivations: orNull(values.max_deactivations),
    offline_ttl_seconds_max: orNull(values.offline_ttl_seconds_max) ?? 604_800,
    key_prefix: values.key_prefix === '' ? null : values.key_prefix,
    holder_may_replace_key: values.holder_may_replace_key,
    trial_requires_email: values.trial_requires_email,
    entitlements: values.entitlements.filter(({ code }) => code !== '').map((line) => grantOf(line, types)),
    metadata: parseJsonField(values.metadata),
  };
}
