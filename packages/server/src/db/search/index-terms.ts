import { createHash } from 'node:crypto';
import { textTerms, wholeTerm } from '../../lib/search-text.ts';
import type { TenantsTable } from '../tables/platform/tenants.ts';
import type { LicensesTable } from '../tables/tenant/licenses.ts';
import type { PoliciesTable } from '../tables/tenant/policies.ts';
import type { ProductsTable } from '../tables/tenant/products.ts';

// What finds a row. Terms are derived from rows: whoever changes this adds a migration that makes them anew.

/** What terms are of. It stands before each term, so that one index answers for all. */
export type TermScope = 'license' | 'license_metadata' | 'license_metadata_value' | 'policy' | 'product' | 'tenant';

/** A term as it is stored. */
export function scopedTerm(scope: TermScope, text: string): string {
  return `${scope}:${text}`;
}

function scopedTerms(scope: TermScope, ...texts: readonly (string | null)[]): string[] {
  return texts.flatMap(textTerms).map((text) => scopedTerm(scope, text));
}

/** The columns that a license is found by. */
type FoundBy = Pick<
  LicensesTable,
  'key' | 'holder_name' | 'holder_email' | 'holder_reference' | 'metadata_json' | 'deleted_at'
>;

// Keys and values may be of any length, and an index entry may not.
function fixedLength(...texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('base64url');
}

/** The term of a license whose metadata have this key. */
export function metadataKeyTerm(key: string): string {
  return scopedTerm('license_metadata', fixedLength(key));
}

/** The term of a license whose metadata have this value under this key; a text as it is, anything else as JSON. */
export function metadataValueTerm(key: string, text: string): string {
  return scopedTerm('license_metadata_value', fixedLength(key, text));
}

/** A value of metadata as a filter names it: a text as it is, anything else as JSON. */
function metadataText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function metadataTerms(json: string): string[] {
  if (json === '{}') return [];
  const metadata: Record<string, unknown> = JSON.parse(json);
  return Object.entries(metadata).flatMap(([key, value]) => [
    metadataKeyTerm(key),
    metadataValueTerm(key, metadataText(value)),
  ]);
}

/** Everything that finds a license; nothing finds a deleted one. */
export function licenseTerms(row: FoundBy): string[] {
  if (row.deleted_at !== null) return [];
  return [
    scopedTerm('license', wholeTerm(row.key)),
    ...scopedTerms('license', row.holder_name, row.holder_email, row.holder_reference),
    ...metadataTerms(row.metadata_json),
  ];
}

export function productTerms({ code, name }: Pick<ProductsTable, 'code' | 'name'>): string[] {
  return scopedTerms('product', code, name);
}

export function policyTerms({ code, name }: Pick<PoliciesTable, 'code' | 'name'>): string[] {
  return scopedTerms('policy', code, name);
}

export function tenantTerms({ id, name }: Pick<TenantsTable, 'id' | 'name'>): string[] {
  return [scopedTerm('tenant', wholeTerm(id)), ...scopedTerms('tenant', name)];
}
