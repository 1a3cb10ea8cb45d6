import { type Static, Type } from 'typebox';
import { strictObject } from '../../../../http/schema.ts';
import { compileValidator } from '../../../../http/validation.ts';
import { AppError, type ErrorDetail } from '../../../../lib/error.ts';
import { CreateLicense } from '../schemas.ts';

export const ImportQuery = strictObject({
  partial: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Keep the good rows even if others are bad, instead of all or nothing.',
    }),
  ),
});

export const ImportResult = Type.Object({
  created: Type.Integer({ description: 'Licenses that were made.' }),
  failed: Type.Integer({ description: 'Rows that were refused.' }),
  errors: Type.Array(
    Type.Object({
      row: Type.Integer({ description: 'From 1, the header not counted.' }),
      field: Type.String(),
      message: Type.String(),
    }),
  ),
});
export type ImportResult = Static<typeof ImportResult>;

// The policy is looked up by its own rules; all else of a row is what `POST /licenses` takes.
const { policy_id: _policyId, product_id: _productId, ...fields } = CreateLicense.properties;
const LicenseFields = strictObject(fields);
export type LicenseFields = Static<typeof LicenseFields>;

const check = compileValidator({ schema: LicenseFields, method: 'POST', url: '/licenses/import', httpPart: 'body' });

/** What is wrong with the fields of a row, by the rules of `POST /licenses`. */
export function problemsOfFields(value: object): readonly ErrorDetail[] {
  const { error } = check(value) as { readonly error?: unknown };
  if (error === undefined) return [];
  if (error instanceof AppError) return error.details ?? [];
  throw error;
}
