import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { type ErrorDetail, validationError } from '../../../lib/error.ts';
import type { FieldChange } from '../../tenant-core/audit/audit.ts';
import type { StoredGrant } from '../entitlements/grants.ts';
import { type Override, storedGrants } from '../licenses/license.ts';
import { applyTransition, transitionInvalid } from '../licenses/license-status.ts';
import { assertUsable, extendTerm, type TermPolicy } from '../licenses/license-term.ts';
import { assertNotRevoked, withStatus } from '../licenses/lifecycle-service.ts';
import type { BulkAction } from './schemas.ts';

/** What an action refers to, read and locked before licenses change. */
export interface ActionContext {
  readonly reason: string | null;
  /** The tenant's time zone, for months. */
  readonly timezone: string;
  /** The policy of `change_policy`. */
  readonly policy?: Pick<PoliciesTable, 'id' | 'product_id'>;
  /** The override of `grant_entitlement`. */
  readonly grant?: StoredGrant<Override>;
}

/** The fields of which each type of action needs exactly one; the others need none. */
const neededFields = {
  extend: ['duration_days', 'duration_months'],
  set_expiry: ['expires_at'],
  change_policy: ['policy_id'],
  set_limit: ['max_activations'],
  grant_entitlement: ['entitlement'],
  suspend: [],
  reinstate: [],
  revoke: [],
} as const satisfies Record<BulkAction['type'], readonly (keyof BulkAction)[]>;

/** Throws 422 unless the action has exactly one of the fields that its type needs. */
export function assertComplete({ type, ...fields }: BulkAction): void {
  const needed: readonly string[] = neededFields[type];
  const [first, ...others] = Object.keys(fields).filter((name) => needed.includes(name));
  const problems: ErrorDetail[] = Object.keys(fields)
    .filter((name) => !needed.includes(name) || others.includes(name))
    .map((name) => ({ field: `action.${name}`, message: 'Leave this out: the action does not use it.' }));
  if (needed.length > 0 && first === undefined) {
    problems.push({ field: `action.${needed[0]}`, message: 'Enter a value: the action needs it.' });
  }
  if (problems.length > 0) throw validationError(...problems);
}

/**
 * Returns the license after the action at `at`. `policy` is the policy of the license before the action. Throws 409
 * `LICENSE.TRANSITION_INVALID` if it cannot be changed like this, and 422 `LICENSE.RENEWAL_IN_PAST`.
 */
export function applyAction(
  action: BulkAction,
  before: LicensesTable,
  policy: TermPolicy,
  context: ActionContext,
  at: Timestamp,
): LicensesTable {
  switch (action.type) {
    case 'extend':
      return extend(before, policy, action, context.timezone, at);
    case 'set_expiry':
      return setExpiry(before, action.expires_at ?? null);
    case 'change_policy':
      return changePolicy(before, context.policy);
    case 'set_limit':
      return { ...before, max_activations: action.max_activations ?? null };
    case 'grant_entitlement':
      return context.grant === undefined ? before : withOverride(before, context.grant.code, context.grant);
    case 'suspend':
    case 'reinstate':
    case 'revoke':
      return withStatus(before, applyTransition(before.status, action.type), context.reason);
  }
}

function extend(
  before: LicensesTable,
  policy: TermPolicy,
  { duration_days, duration_months }: BulkAction,
  timezone: string,
  at: Timestamp,
): LicensesTable {
  assertNotRevoked(before);
  if (before.expires_at === null)
    throw transitionInvalid('The license has no expiry date. Set one instead of extending it.');
  const asked = { days: duration_days ?? null, months: duration_months ?? null };
  const expires_at = extendTerm(policy, before, before.expires_at, asked, timezone);
  // Without the end, so that the licenses are counted under one reason.
  assertUsable({ expires_at }, at, false);
  return { ...before, expires_at };
}

function setExpiry(before: LicensesTable, expiresAt: string | null): LicensesTable {
  const expires_at = expiresAt === null ? null : toStoredTimestamp(expiresAt);
  if (expires_at !== null && expires_at <= before.starts_at) {
    throw transitionInvalid('The license starts after this date. Choose a later date.');
  }
  return { ...before, expires_at };
}

function changePolicy(before: LicensesTable, policy: ActionContext['policy']): LicensesTable {
  if (policy === undefined) throw transitionInvalid('The policy was deleted. Choose another policy.');
  if (policy.product_id !== before.product_id) {
    throw transitionInvalid('The license belongs to another product. Choose a policy of its product.');
  }
  return { ...before, policy_id: policy.id };
}

/** Returns the license with this override, or without one for `undefined`. */
function withOverride(before: LicensesTable, code: string, grant: StoredGrant<Override> | undefined): LicensesTable {
  const grants = storedGrants(before);
  const index = grants.findIndex((present) => present.code === code);
  if (grant === undefined) grants.splice(index, index === -1 ? 0 : 1);
  else if (index === -1) grants.push(grant);
  else grants[index] = grant;
  return { ...before, entitlements_json: JSON.stringify(grants) };
}

/** The columns that actions change, except the overrides of entitlements. */
const changedColumns = ['policy_id', 'status', 'status_reason', 'expires_at', 'max_activations'] as const;
type ChangedColumn = (typeof changedColumns)[number];

const overridePrefix = 'entitlements.';

/** Returns what differs between two states of a license, for the record of an operation. */
export function changesBetween(before: LicensesTable, after: LicensesTable): FieldChange[] {
  const columns = changedColumns
    .filter((column) => before[column] !== after[column])
    .map((column) => ({ field: column, old: before[column], new: after[column] }));
  if (before.entitlements_json === after.entitlements_json) return columns;
  const [old, present] = [overridesOf(before), overridesOf(after)];
  const codes = [...new Set([...old.keys(), ...present.keys()])];
  const overrides = codes
    .map((code) => ({
      field: `${overridePrefix}${code}`,
      old: old.get(code) ?? null,
      new: present.get(code) ?? null,
    }))
    .filter((change) => !isSame(change.old, change.new));
  return [...columns, ...overrides];
}

function overridesOf(license: LicensesTable): Map<string, StoredGrant<Override>> {
  return new Map(storedGrants(license).map((grant) => [grant.code, grant]));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns the license with the former values of the fields that still have the values of these changes. */
export function applyUndo(changes: readonly FieldChange[], before: LicensesTable): LicensesTable {
  let after = before;
  for (const { field, old, new: written } of changes) {
    if (field.startsWith(overridePrefix)) {
      const code = field.slice(overridePrefix.length);
      const present = overridesOf(before).get(code) ?? null;
      // The record of the change contains the override as it was stored.
      if (isSame(present, written))
        after = withOverride(after, code, (old as StoredGrant<Override> | null) ?? undefined);
    } else if (before[field as ChangedColumn] === written) {
      after = { ...after, [field]: old };
    }
  }
  return after;
}

/** Returns what an undo of these changes needs to exist: former policies, and former overrides. */
export function referencesOf(changes: readonly FieldChange[]) {
  const policyId = changes.find(({ field }) => field === 'policy_id')?.old;
  const overrides = changes.flatMap(({ field, old }): StoredGrant<Override>[] =>
    // The record of the change contains the override as it was stored.
    field.startsWith(overridePrefix) && old !== null ? [old as StoredGrant<Override>] : [],
  );
  return {
    policyId: typeof policyId === 'string' ? policyId : undefined,
    overrides,
  };
}
