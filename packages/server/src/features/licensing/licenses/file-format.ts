/** The columns that an import reads. NDJSON may contain `holder` as in the API instead of the `holder_` columns. */
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

/** The columns that an export adds and an import ignores. */
export const readOnlyColumns = [
  'id',
  'product_id',
  'activations_count',
  'deactivations_count',
  'last_validated_at',
  'created_at',
  'updated_at',
] as const;

/** A column that an import reads. */
export type ImportedColumn = (typeof importedColumns)[number];
/** Any column of an exported file. */
export type Column = ImportedColumn | (typeof readOnlyColumns)[number];

/** The CSV cell for a date that is explicitly null. With an empty cell the policy sets the date. */
export const noDate = 'null';
