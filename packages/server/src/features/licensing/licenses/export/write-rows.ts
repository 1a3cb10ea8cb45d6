import { stringify } from 'csv-stringify/sync';
import { type Column, escapeFormula, type FileFormat, noDate } from '../file-format.ts';
import type { License } from '../schemas.ts';

/** A license with the codes by which another tenant finds its policy. */
export interface ExportedLicense extends License {
  readonly product: string;
  readonly policy: string;
}

const text = (value: string | null) => (value === null ? '' : escapeFormula(value));
const json = (value: object) => (Object.keys(value).length === 0 ? '' : JSON.stringify(value));

/** The cells of a row, in the order of the columns. */
const cells: { readonly [column in Column]: (license: ExportedLicense) => string } = {
  id: ({ id }) => id,
  product: ({ product }) => text(product),
  policy: ({ policy }) => text(policy),
  key: ({ key }) => text(key),
  status: ({ status }) => status,
  holder_name: ({ holder }) => text(holder.name),
  holder_email: ({ holder }) => text(holder.email),
  holder_reference: ({ holder }) => text(holder.reference),
  starts_at: (license) => license.starts_at,
  // An empty cell would let the policy decide when the file is imported.
  expires_at: (license) => license.expires_at ?? noDate,
  maintenance_expires_at: (license) => license.maintenance_expires_at ?? noDate,
  max_activations: (license) => String(license.max_activations ?? ''),
  entitlements: ({ entitlements }) => json(entitlements),
  metadata: ({ metadata }) => json(metadata),
  activations_count: (license) => String(license.activations_count),
  deactivations_count: (license) => String(license.deactivations_count),
  last_validated_at: (license) => license.last_validated_at ?? '',
  created_at: (license) => license.created_at,
  updated_at: (license) => license.updated_at,
  product_id: (license) => license.product_id,
  policy_id: (license) => license.policy_id,
};

const makers = Object.values(cells);
// A lone carriage return ends a line for many readers.
const options = { quoted_match: /[\r\n]/ };

/** What stands above the rows. */
export function header(format: FileFormat): string {
  return format === 'csv' ? stringify([Object.keys(cells)]) : '';
}

/** The text of some licenses, with a line feed at its end. */
export function writeRows(format: FileFormat, licenses: readonly ExportedLicense[]): string {
  if (format === 'ndjson') return licenses.map((license) => `${JSON.stringify(license)}\n`).join('');
  return stringify(
    licenses.map((license) => makers.map((cell) => cell(license))),
    options,
  );
}
