import { type Static, type TProperties, Type } from 'typebox';
import type { EntitlementsTable } from '../../../db/tables/tenant/policies.ts';
import type { ErrorDetail } from '../../../lib/error.ts';
import { entitlementFields } from './grant-schemas.ts';

const grantShape = Type.Object({ code: Type.String(), ...entitlementFields } satisfies TProperties);

/** An entry in the `entitlements` of a policy or a license, as the API represents it. */
export type Grant = Static<typeof grantShape>;

/** An entry in its stored form. It contains the entitlement's type, so that a verdict reads no definitions. */
export type StoredGrant<Entry extends Grant = Grant> = Entry & { readonly type: EntitlementsTable['type'] };

/** Entitlement definitions by code. */
export type Definitions = ReadonlyMap<string, Pick<EntitlementsTable, 'id' | 'type'>>;

/**
 * Returns the entries in their stored form, and a problem for every unknown code, repeated code, and field that does
 * not fit the type of its entitlement. Problems name fields as `entitlements.<index>.<field>`.
 */
export function storeGrants<Entry extends Grant>(
  definitions: Definitions,
  grants: readonly Entry[],
): { readonly stored: StoredGrant<Entry>[]; readonly problems: ErrorDetail[] } {
  const stored: StoredGrant<Entry>[] = [];
  const problems: ErrorDetail[] = [];
  const seen = new Set<string>();
  for (const [index, grant] of grants.entries()) {
    const field = `entitlements.${index}`;
    const definition = definitions.get(grant.code);
    if (seen.has(grant.code)) {
      problems.push({ field: `${field}.code`, message: 'List each entitlement only once.' });
      continue;
    }
    seen.add(grant.code);
    if (definition === undefined) {
      problems.push({ field: `${field}.code`, message: 'Choose an existing entitlement.' });
      continue;
    }
    problems.push(...misfits(definition.type, grant, field));
    stored.push({ ...grant, type: definition.type });
  }
  return { stored, problems };
}

/** `value: false` withholds an entitlement of any type. */
function misfits(type: EntitlementsTable['type'], grant: Grant, field: string): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  const { value } = grant;
  if (type === 'boolean' && value != null && typeof value !== 'boolean') {
    problems.push({ field: `${field}.value`, message: 'Enter true or false: the entitlement is on or off.' });
  }
  if (type === 'metered') {
    if (value != null && value !== false) {
      problems.push({ field: `${field}.value`, message: 'Leave this out: the entitlement is metered.' });
    }
    return problems;
  }
  for (const name of ['limit', 'reset', 'overage'] as const) {
    if (grant[name] == null) continue;
    problems.push({ field: `${field}.${name}`, message: 'Leave this out: the entitlement is not metered.' });
  }
  return problems;
}

/** Returns the API representation of stored entries. */
export function presentGrants<Entry extends Grant>(stored: readonly StoredGrant<Entry>[]): Omit<Entry, 'type'>[] {
  return stored.map(({ type: _type, ...grant }) => grant as unknown as Omit<Entry, 'type'>);
}
