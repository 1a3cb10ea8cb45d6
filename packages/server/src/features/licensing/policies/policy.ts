import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import { presentGrants, type StoredGrant } from '../entitlements/grants.ts';
import { type Policy, policyDefaults, type UpdatePolicy } from './schemas.ts';

const {
  ends_with_month: _withMonth,
  require_activation: _required,
  holder_may_replace_key: _replaceable,
  trial_requires_email: _withEmail,
  entitlements: _entitlements,
  metadata: _metadata,
  ...plainDefaults
} = policyDefaults;

/** The stored form of `policyDefaults`. */
export const policyRowDefaults = {
  ...plainDefaults,
  ends_with_month: 0,
  require_activation: 0,
  holder_may_replace_key: 0,
  trial_requires_email: 0,
  entitlements_json: '[]',
  metadata_json: '{}',
  archived_at: null,
} as const;

/** Returns the API representation of a policy row. */
export function presentPolicy(row: PoliciesTable): Policy {
  const {
    ends_with_month,
    require_activation,
    holder_may_replace_key,
    trial_requires_email,
    entitlements_json,
    metadata_json,
    ...rest
  } = row;
  return {
    ...rest,
    ends_with_month: ends_with_month === 1,
    require_activation: require_activation === 1,
    trial_requires_email: trial_requires_email === 1,
    holder_may_replace_key: holder_may_replace_key === 1,
    entitlements: presentGrants(JSON.parse(entitlements_json)),
    metadata: JSON.parse(metadata_json),
  };
}

/** The changes to a policy, with its entitlements in their stored form. */
export type PolicyChange = Omit<UpdatePolicy, 'entitlements'> & { readonly entitlements?: readonly StoredGrant[] };

/** Returns a copy of the row with the fields that `input` contains. `null` clears a nullable field. */
export function applyPolicyInput(row: PoliciesTable, input: PolicyChange): PoliciesTable {
  const {
    ends_with_month,
    require_activation,
    holder_may_replace_key,
    trial_requires_email,
    entitlements,
    metadata,
    ...plain
  } = input;
  const flagOf = (value: boolean | undefined, stored: 0 | 1) => (value === undefined ? stored : value ? 1 : 0);
  return {
    ...row,
    ...plain,
    ends_with_month: flagOf(ends_with_month, row.ends_with_month),
    require_activation: flagOf(require_activation, row.require_activation),
    holder_may_replace_key: flagOf(holder_may_replace_key, row.holder_may_replace_key),
    trial_requires_email: flagOf(trial_requires_email, row.trial_requires_email),
    entitlements_json: entitlements === undefined ? row.entitlements_json : JSON.stringify(entitlements),
    metadata_json: metadata === undefined ? row.metadata_json : JSON.stringify(metadata ?? {}),
  };
}

/** The fields whose changes the audit log records. */
export const auditedPolicyFields = [
  'product_id',
  'code',
  'name',
  'duration_days',
  'duration_months',
  'ends_with_month',
  'expiry_basis',
  'expiry_strategy',
  'grace_days',
  'renewal_basis',
  'maintenance_days',
  'max_activations',
  'activation_overage_percent',
  'require_activation',
  'fingerprint_matching',
  'trial_requires_email',
  'lease_seconds',
  'max_deactivations',
  'offline_ttl_seconds_max',
  'key_prefix',
  'holder_may_replace_key',
  'entitlements',
  'metadata',
  'archived_at',
] as const;
