/** How licenses stand in files, for export and import alike: what one writes the other reads. */
export type FileFormat = 'csv' | 'ndjson';

export const mediaTypes: Readonly<Record<FileFormat, string>> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

/** What an import takes over. Every one stands in a cell of its own; NDJSON may also have `holder` as the API has it. */
export const importedColumns = [
  'product',
  'policy',
  'policy_id',
  'key',
  'status',
  'holder_name',
  'holder_email',
  'holder_reference',
  'starts_at',
  'expires_at',
  'maintenance_expires_at',
  'max_activations',
  'entitlements',
  'metadata',
] as const;

/** What an export tells besides, and an import passes over. */
export const readOnlyColumns = [
  'id',
  'product_id',
  'activations_count',
  'deactivations_count',
  'last_validated_at',
  'created_at',
  'updated_at',
] as const;

export type ImportedColumn = (typeof importedColumns)[number];
export type Column = ImportedColumn | (typeof readOnlyColumns)[number];

/** The cell of a date that was decided to be none. An empty cell leaves it to the policy. */
export const noDate = 'null';

const formula = /^'*[=+\-@\t\r]/;
const escapedFormula = /^'+[=+\-@\t\r]/;

/**
 * A cell that no spreadsheet takes for a formula (https://owasp.org/www-community/attacks/CSV_Injection): one that
 * begins like a formula gets an apostrophe in front. So does one that would look escaped, so that `unescapeFormula`
 * gives back exactly what was written.
 */
export function escapeFormula(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** The text before `escapeFormula`. */
export function unescapeFormula(cell: string): string {
  return escapedFormula.test(cell) ? cell.slice(1) : cell;
}
