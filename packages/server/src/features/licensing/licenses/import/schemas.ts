import { type Static, Type } from 'typebox';
import { strictObject } from '../../../../http/schema.ts';
import { compileValidator } from '../../../../http/validation.ts';
import { AppError, type ErrorDetail } from '../../../../lib/error.ts';
import { CreateLicense } from '../schemas.ts';

export const ImportQuery = strictObject({
  partial: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Import the valid rows even if other rows are invalid, instead of all or nothing.',
    }),
  ),
  notify_holder: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Send each holder with an address the mail about the new license.',
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Check every row and write nothing. The response says what a partial import would do.',
    }),
  ),
});

const previewFields = {
  columns: Type.Array(
    Type.Object(
      {
        name: Type.String({ description: 'The name of the column.' }),
        imported: Type.Boolean({ description: 'False for a column of an export that an import ignores.' }),
      },
      { title: 'ImportColumn', description: 'A column of an imported file.' },
    ),
    { description: 'The columns of the file. Only with `dry_run`.' },
  ),
  rows: Type.Array(
    Type.Object(
      {
        row: Type.Integer({ description: 'The number of the row, from 1.' }),
        values: Type.Record(Type.String(), Type.String(), {
          description: 'The values by column. Long ones are cut off.',
        }),
      },
      { title: 'ImportedRow', description: 'A row of an imported file, as the service read it.' },
    ),
    { description: 'The first 20 rows, valid or not. Only with `dry_run`.' },
  ),
};
const ImportPreview = Type.Object(previewFields);
/** What a dry run shows of a file. */
export type ImportPreview = Static<typeof ImportPreview>;

export const ImportResult = Type.Object(
  {
    created: Type.Integer({ description: 'The number of created licenses.' }),
    failed: Type.Integer({ description: 'The number of refused rows.' }),
    errors: Type.Array(
      Type.Object(
        {
          row: Type.Integer({ description: 'The number of the row, from 1. The header is not counted.' }),
          field: Type.String({ description: 'The column that is not valid.' }),
          message: Type.String({ description: 'What is wrong, and what to do.' }),
        },
        { title: 'ImportError', description: 'One problem of an imported file.' },
      ),
    ),
    columns: Type.Optional(previewFields.columns),
    rows: Type.Optional(previewFields.rows),
  },
  {
    title: 'ImportResult',
    description: 'The result of an import.',
    examples: [
      { created: 998, failed: 1, errors: [{ row: 17, field: 'policy', message: 'must be the code of a policy' }] },
    ],
  },
);
export type ImportResult = Static<typeof ImportResult>;

// Rows identify their policy in other ways than `POST /licenses`, and the request decides about mails to holders. All
// other fields are the same.
const {
  policy_id: _policyId,
  product_id: _productId,
  notify_holder: _notifyHolder,
  ...fields
} = CreateLicense.properties;
const LicenseFields = strictObject(fields);
/** The fields of a row, without the fields that identify its policy. */
export type LicenseFields = Static<typeof LicenseFields>;

const check = compileValidator({ schema: LicenseFields, method: 'POST', url: '/licenses/import', httpPart: 'body' });

/** Validates the fields of a row by the schema of `POST /licenses`. Returns its problems. */
export function problemsOfFields(value: object): readonly ErrorDetail[] {
  const { error } = check(value) as { readonly error?: unknown };
  if (error === undefined) return [];
  if (error instanceof AppError) return error.details ?? [];
  throw error;
}
