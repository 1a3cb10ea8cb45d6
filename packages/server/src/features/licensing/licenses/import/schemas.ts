import { type Static, Type } from 'typebox';
import { Nullable, strictObject, TimestampOut, Uuid } from '../../../../http/schema.ts';
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
  background: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Import the valid rows after the response, whether or not the client stays connected. The response is 202, and ' +
        '`GET /licenses/imports/{id}` shows the progress. Implies `partial=true`.',
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

const ImportError = Type.Object(
  {
    row: Type.Integer({ description: 'The number of the row, from 1. The header is not counted.' }),
    field: Type.String({ description: 'The column that is not valid.' }),
    message: Type.String({ description: 'What is wrong, and what to do.' }),
  },
  { title: 'ImportError', description: 'One problem of an imported file.' },
);

const counts = {
  created: Type.Integer({ description: 'The number of created licenses.' }),
  failed: Type.Integer({ description: 'The number of refused rows.' }),
};
const errorExample = { row: 17, field: 'policy', message: 'Use the code of an existing policy.' };

export const LicenseImport = Type.Object(
  {
    id: Uuid,
    state: Type.Union([Type.Literal('running'), Type.Literal('done'), Type.Literal('failed')], {
      title: 'LicenseImportState',
      description: '`failed`: see `reason`. The licenses that were created until then are kept.',
    }),
    total: Type.Integer({ description: 'The number of rows that were valid when the file was read.' }),
    done: Type.Integer({ description: 'The number of these rows that were imported or refused.' }),
    ...counts,
    errors: Type.Array(ImportError, { description: 'The first 1,000 problems, once the import has ended.' }),
    reason: Nullable(Type.String(), { description: 'Why it failed, for people.' }),
    created_at: TimestampOut,
    ended_at: Nullable(TimestampOut),
  },
  {
    title: 'LicenseImport',
    description: 'An import that runs after its request, and its progress.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f72b',
        state: 'done',
        ...{ total: 999, done: 999, created: 998, failed: 1 },
        errors: [errorExample],
        reason: null,
        created_at: '2026-11-20T17:42:00.123456Z',
        ended_at: '2026-11-20T17:42:02.000000Z',
      },
    ],
  },
);
export type LicenseImport = Static<typeof LicenseImport>;

export const ImportResult = Type.Object(
  {
    ...counts,
    errors: Type.Array(ImportError),
    columns: Type.Optional(previewFields.columns),
    rows: Type.Optional(previewFields.rows),
  },
  {
    title: 'ImportResult',
    description: 'The result of an import.',
    examples: [{ created: 998, failed: 1, errors: [errorExample] }],
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
