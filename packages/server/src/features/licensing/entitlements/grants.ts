import type { Static } from 'typebox';
import { type TProperties, Type } from 'typebox';
import type { EntitlementsTable } from '../../../db/tables/tenant/entitlements.ts';
import type { ErrorDetail } from '../../../lib/error.ts';
import { entitlementFields } from './grant-schemas.ts';

const grantShape = Type.Object({ code: Type.String(), ...entitlementFields } satisfies TProperties);

/** An entry in the list of a policy or a license, as callers write and read it. */
export type Grant = Static<typeof grantShape>;

/** An entry as it is stored: it knows its type, so that a verdict needs no look-up of definitions. */
export type StoredGrant<Entry extends Grant = Grant> = Entry & { readonly type: EntitlementsTable['type'] };

/** The entitlements that a list may name, by code. */
export type Definitions = ReadonlyMap<string, Pick<EntitlementsTable, 'id' | 'type'>>;

/** The entries with their types; fails for codes without a definition, repeated codes, and fields of another type. */
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
      problems.push({ field: `${field}.code`, message: 'must not stand in the list twice' });
      continue;
    }
    seen.add(grant.code);
    if (definition === undefined) {
      problems.push({ field: `${field}.code`, message: 'must be the code of an existing entitlement' });
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
    problems.push({ field: `${field}.value`, message: 'must be true or false: the entitlement is of type boolean' });
  }
  if (type === 'metered') {
    if (value != null && value !== false) {
      problems.push({ field: `${field}.value`, message: 'must be absent or false: the entitlement is metered' });
    }
    return problems;
  }
  for (const name of ['limit', 'reset', 'overage'] as const) {
    if (grant[name] == null) continue;
    problems.push({ field: `${field}.${name}`, message: 'must be absent: the entitlement is not metered' });
  }
  return problems;
}

/** The entries as callers see them. */
export function presentGrants<Entry extends Grant>(stored: readonly StoredGrant<Entry>[]): Omit<Entry, 'type'>[] {
  return stored.map(({ type: _type, ...grant }) => grant as unknown as Omit<Entry, 'type'>);
}
