import type { FileFormat } from '../../../../http/file-export.ts';
import { escapeFormula, writeCsv } from '../../../../lib/csv.ts';
import { type Column, noDate } from '../file-format.ts';
import type { License } from '../schemas.ts';

/** A license with the codes of its product and policy, by which an import into another tenant finds the policy. */
export interface ExportedLicense extends License {
  readonly product: string;
  readonly policy: string;
}

const text = (value: string | null) => (value === null ? '' : escapeFormula(value));
const json = (value: object) => (Object.keys(value).length === 0 ? '' : JSON.stringify(value));

/** Formats the cells of a row, in the order of the columns. */
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
  // With an empty cell the import would take the date from the policy.
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

const formatters = Object.values(cells);

/** Returns the header row of a CSV file, and an empty string for NDJSON. */
export function header(format: FileFormat): string {
  return format === 'csv' ? writeCsv([Object.keys(cells)]) : '';
}

/** Returns the rows of some licenses, each terminated by a line feed. */
export function writeRows(format: FileFormat, licenses: readonly ExportedLicense[]): string {
  if (format === 'ndjson') return licenses.map((license) => `${JSON.stringify(license)}\n`).join('');
  return writeCsv(licenses.map((license) => formatters.map((format) => format(license))));
}
