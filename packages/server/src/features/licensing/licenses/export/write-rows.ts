import type { FileFormat } from '../../../../http/file-export.ts';
import { escapeFormula, writeCsv } from '../../../../lib/csv.ts';
import { type Column, type ColumnKind, holderColumns, noDate, nullableColumns, nullableNames } from '../columns.ts';
import type { License } from '../schemas.ts';

/** A license with the codes of its product and policy, by which an import into another tenant finds the policy. */
export interface ExportedLicense extends License {
  readonly product: string;
  readonly policy: string;
}

const text = (value: string | null) => (value === null ? '' : escapeFormula(value));
const json = (value: object) => (Object.keys(value).length === 0 ? '' : JSON.stringify(value));

type Format = (license: ExportedLicense) => string;

/** Formats a value of a described column. With an empty cell for a date, the import would take it from the policy. */
const ofKind: Readonly<Record<ColumnKind, (value: string | number | null) => string>> = {
  text: (value) => text(value as string | null),
  integer: (value) => String(value ?? ''),
  date: (value) => String(value ?? noDate),
};

/** Formats the cells of a row, in the order of the columns. */
const cells: Readonly<Record<Column, Format>> = {
  id: ({ id }) => id,
  product: ({ product }) => text(product),
  policy: ({ policy }) => text(policy),
  key: ({ key }) => text(key),
  status: ({ status }) => status,
  ...formatted(holderColumns, ({ column, name }) => [column, ({ holder }) => text(holder[name])]),
  starts_at: (license) => license.starts_at,
  ...formatted(nullableNames, (name) => [name, (license) => ofKind[nullableColumns[name].kind](license[name])]),
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

/** Returns the formats of described columns, by column. */
function formatted<Described, Name extends Column>(
  columns: readonly Described[],
  format: (column: Described) => readonly [Name, Format],
): Record<Name, Format> {
  return Object.fromEntries(columns.map(format)) as Record<Name, Format>;
}

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
