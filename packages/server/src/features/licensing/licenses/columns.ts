import { type TSchema, type TSchemaOptions, Type } from 'typebox';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import { Email, FilterText, Nullable, TimestampIn, TimestampOut } from '../../../http/schema.ts';
import type { ErrorCode } from '../../../lib/error-codes.ts';
import { ActivationLimit } from '../policies/schemas.ts';
import { licenseKeyMaxLength } from './license-key.ts';

// The fields of a license whose handling follows from a description: validation, storage, the response, the audit log,
// files of an import and an export, and filters of the list. docs/contributing/changes.md lists what else a new field needs.

/** How a value is converted to a column and to a CSV cell. */
export type ColumnKind = 'text' | 'integer' | 'date';

/** A field that is null unless somebody sets it, with a column of the same name. */
interface NullableColumn {
  readonly kind: ColumnKind;
  /** In a response. */
  readonly output: TSchema;
  /** In a request; null clears the field. */
  readonly input: TSchema;
  /** In the example of a license. */
  readonly example: string | number | null;
}

function date(example: string | null, description: string, changeDescription = description) {
  return {
    kind: 'date',
    example,
    output: Nullable(TimestampOut, { description }),
    input: Type.Optional(Nullable(TimestampIn, { description: changeDescription })),
  } as const;
}

/** What `maintenance_expires_at` means. */
export const maintenanceText = 'Releases after this time are not included; null: all releases are included.';
const limitText = "The license's own limit of active devices; null: the limit of the policy.";
const orderNumberText = 'Your own number of the order, unique among your licenses; null: there is none.';

/** The optional fields of a license, in the order of the response and of exported columns. */
export const nullableColumns = {
  expires_at: date(
    '2027-11-20T17:42:00.123456Z',
    'The end of the license; null: perpetual, or not determined yet because the term starts with the first use.',
    "The end of the license; null: perpetual, unless the policy's term starts with the first use.",
  ),
  maintenance_expires_at: date(null, maintenanceText),
  max_activations: {
    kind: 'integer',
    example: null,
    output: Nullable(Type.Integer(), { description: limitText }),
    input: Type.Optional(Nullable(ActivationLimit, { description: limitText })),
  },
  order_number: {
    kind: 'text',
    example: 'ORDER-2026-1042',
    output: Nullable(Type.String(), { description: orderNumberText }),
    input: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 100 }), {
        description: orderNumberText,
        examples: ['ORDER-2026-1042'],
      }),
    ),
  },
} satisfies { readonly [Name in keyof LicensesTable]?: NullableColumn };

function holderText(maxLength: number, options: TSchemaOptions) {
  return Type.Optional(Nullable(Type.String({ minLength: 1, maxLength }), options));
}

const referenceText = 'Your own id of the holder, such as a customer number.';

/** The fields of `holder` in responses and in requests. Each has a text column with the prefix `holder_`. */
export const holderFields = {
  name: { output: Nullable(Type.String()), input: holderText(200, { description: "The holder's name." }) },
  email: {
    output: Nullable(Type.String()),
    input: Type.Optional(
      Nullable(Email, {
        description: "The holder's email address.",
        examples: ['ada@example.com'],
      }),
    ),
  },
  reference: {
    output: Nullable(Type.String(), { description: referenceText }),
    input: holderText(200, { description: referenceText, examples: ['customer-1042'] }),
  },
} as const;

/**
 * The filters of the list by a complete value. Few licenses have the same value, so each needs an index, and other
 * filters beside it need no index.
 */
export const valueFilters = {
  key: Type.Optional(
    FilterText(
      licenseKeyMaxLength,
      'The complete key. A generated key is also found in lower case and without its dashes.',
    ),
  ),
  holder_email: Type.Optional(FilterText(254, 'The complete address. Case is ignored.')),
  holder_reference: Type.Optional(FilterText(200, 'The complete reference, in the stored spelling.')),
  order_number: Type.Optional(FilterText(100, 'The complete order number, in the stored spelling.')),
} satisfies { readonly [Name in keyof LicensesTable]?: TSchema };

/** A column with unique values among the licenses that are not deleted. */
export interface UniqueColumn {
  readonly name: 'key' | NullableName;
  /** The name of the value in messages. */
  readonly label: string;
  /** The error of a request with a taken value. */
  readonly takenCode: ErrorCode;
}

/** The unique columns. The index of each is named `licenses_<column>_unique`. */
export const uniqueColumns: readonly UniqueColumn[] = [
  { name: 'key', label: 'key', takenCode: 'LICENSE.KEY_TAKEN' },
  { name: 'order_number', label: 'order number', takenCode: 'LICENSE.ORDER_NUMBER_TAKEN' },
];

/** Returns the schemas of described fields in a response, or in a request. */
export function schemasOf<
  Fields extends Readonly<Record<string, Readonly<Record<'output' | 'input', TSchema>>>>,
  Part extends 'output' | 'input',
>(fields: Fields, part: Part): { [Name in keyof Fields]: Fields[Name][Part] } {
  const schemas = Object.entries(fields).map(([name, field]) => [name, field[part]]);
  return Object.fromEntries(schemas);
}

/** The name of a field that `nullableColumns` describes. */
export type NullableName = keyof typeof nullableColumns;
export const nullableNames = Object.keys(nullableColumns) as readonly NullableName[];
/** The fields of `nullableColumns` in the example of a license. */
export const nullableExamples = Object.fromEntries(nullableNames.map((name) => [name, nullableColumns[name].example]));

const holderNames = Object.keys(holderFields) as readonly (keyof typeof holderFields)[];
/** The columns of the holder, with the name of the field in `holder`. */
export const holderColumns = holderNames.map((name) => ({ column: `holder_${name}` as const, name }));

/** The columns that are filters of the list. */
export const valueFilterNames = Object.keys(valueFilters) as readonly (keyof typeof valueFilters)[];

/** The columns that an import reads. NDJSON may contain `holder` as in the API instead of the `holder_` columns. */
export const importedColumns = [
  'product',
  'policy',
  'policy_id',
  'key',
  'status',
  ...holderColumns.map(({ column }) => column),
  'starts_at',
  ...nullableNames,
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
  'status_reason',
  'batch_id',
  'created_at',
  'updated_at',
] as const;

/** The column that the dashboard adds to a file of refused rows. */
const reasonColumn = 'reason';

/** The columns of a file that an import ignores. */
export const ignoredColumns = [...readOnlyColumns, reasonColumn] as const;

/** A column that an import reads. */
export type ImportedColumn = (typeof importedColumns)[number];
/** Any column of an exported file. */
export type Column = ImportedColumn | (typeof readOnlyColumns)[number];

/** The CSV cell for a date that is explicitly null. With an empty cell the policy sets the date. */
export const noDate = 'never';
/** What exports of earlier versions contain instead. */
export const earlierNoDate = 'null';
