import { isForeignKeyViolation, isUniqueViolation } from '../../../db/errors.ts';
import { AppError, type ErrorDetail, validationError } from '../../../lib/error.ts';
import { uniqueColumns } from './columns.ts';

/** Returns the 422 of a policy that does not exist, or that does not fit the license. */
export function unknownPolicy(message = 'Choose an existing policy.'): AppError {
  return validationError({ field: 'policy_id', message } satisfies ErrorDetail);
}

/** Throws the error of the API for a constraint of the database that a change of a license violates. */
export function explainConflict(cause: unknown): never {
  const taken = uniqueColumns.find(({ name }) => isUniqueViolation(cause, `licenses_${name}_unique`));
  if (taken !== undefined) {
    const { name, label, takenCode } = taken;
    const details = [{ field: name, message: `Another license has this ${label}.` }];
    throw new AppError(takenCode, `Another license has this ${label}. Choose another ${label}.`, { details, cause });
  }
  if (isForeignKeyViolation(cause)) throw unknownPolicy();
  throw cause;
}
