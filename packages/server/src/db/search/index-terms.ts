import { createHash } from 'node:crypto';
import { textTerms, wholeTerm } from '../../lib/search-text.ts';
import type { TenantsTable } from '../tables/platform/tenants.ts';
import type { LicensesTable } from '../tables/tenant/licenses.ts';
import type { PoliciesTable, ProductsTable } from '../tables/tenant/policies.ts';

// The terms by which rows are found. They are derived from the rows, so a change here needs a migration that derives
// the stored terms again.

/**
 * The kind of text that a term comes from. It is the prefix of each stored term, so that one index serves all kinds.
 */
export type TermScope =
  | 'license'
  | 'license_key_end'
  | 'license_metadata'
  | 'license_metadata_value'
  | 'policy'
  | 'product'
  | 'sale'
  | 'tenant';

/** Returns a term as it is stored: `<scope>:<text>`. */
export function scopedTerm(scope: TermScope, text: string): string {
  return `${scope}:${text}`;
}

function scopedTerms(scope: TermScope, ...texts: readonly (string | null)[]): string[] {
  return texts.flatMap(textTerms).map((text) => scopedTerm(scope, text));
}

/** The columns by which a license is found, and whether it is deleted. */
type SearchedColumns = Pick<
  LicensesTable,
  'key' | 'holder_name' | 'holder_email' | 'holder_reference' | 'metadata_json' | 'deleted_at'
>;

/** Returns a SHA-256 hash in base64url: keys and values may have any length, but an index entry may not. */
function fixedLength(...texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('base64url');
}

/** Returns the term of licenses whose metadata have this key. */
export function metadataKeyTerm(key: string): string {
  return scopedTerm('license_metadata', fixedLength(key));
}

/** Returns the term of licenses whose metadata have this value under this key. A value that is not text is JSON. */
export function metadataValueTerm(key: string, text: string): string {
  return scopedTerm('license_metadata_value', fixedLength(key, text));
}

/** Returns a metadata value as filters write it: text unchanged, any other value as JSON. */
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

/** Returns the term of keys that end with these letters and digits. It has them from the last one to the first. */
export function keyEndTerm(text: string): string {
  return scopedTerm('license_key_end', wholeTerm(keyCharacters(text).reverse().join('')));
}

/** Returns the letters and digits of a text, by which the end of a key is found whatever stands between them. */
export function keyCharacters(text: string): string[] {
  return [...text].filter((character) => /[A-Za-z0-9]/.test(character));
}

/** Returns the terms of a license: its key and its end, words of the holder, metadata. A deleted license has no terms. */
export function licenseTerms(row: SearchedColumns): string[] {
  if (row.deleted_at !== null) return [];
  return [
    scopedTerm('license', wholeTerm(row.key)),
    keyEndTerm(row.key),
    ...scopedTerms('license', row.holder_name, row.holder_email, row.holder_reference),
    ...metadataTerms(row.metadata_json),
  ];
}

/** Returns the terms of a product: the words of its code and name. */
export function productTerms({ code, name }: Pick<ProductsTable, 'code' | 'name'>): string[] {
  return scopedTerms('product', code, name);
}

/** Returns the terms of a policy: the words of its code and name. */
export function policyTerms({ code, name }: Pick<PoliciesTable, 'code' | 'name'>): string[] {
  return scopedTerms('policy', code, name);
}

/** Returns the terms of a sale: its whole id, and the words of the buyer. */
export function saleTerms(externalId: string, buyer: readonly (string | null)[]): string[] {
  return [scopedTerm('sale', wholeTerm(externalId)), ...scopedTerms('sale', ...buyer)];
}

/** Returns the terms of a tenant: its whole id and the words of its name. */
export function tenantTerms({ id, name }: Pick<TenantsTable, 'id' | 'name'>): string[] {
  return [scopedTerm('tenant', wholeTerm(id)), ...scopedTerms('tenant', name)];
}
