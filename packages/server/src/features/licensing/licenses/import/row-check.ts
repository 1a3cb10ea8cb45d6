import type { Timestamp } from '../../../../lib/clock.ts';
import { AppError, type ErrorDetail } from '../../../../lib/error.ts';
import { storeGrants } from '../../entitlements/grants.ts';
import { type UniqueColumn, uniqueColumns } from '../columns.ts';
import type { LicenseChangeInput } from '../license.ts';
import type { CatalogPolicy, LicenseCatalog } from '../license-catalog.ts';
import type { StoredStatus } from '../license-status.ts';
import { newLicense } from '../service.ts';
import { isProblem, policyOfRow } from './policy-of-row.ts';
import type { Problems } from './problems.ts';
import type { RowCandidate, TakeRow } from './row-reader.ts';
import { type LicenseFields, problemsOfFields } from './schemas.ts';
import { SeenValues } from './seen-values.ts';
import type { Spool } from './spool.ts';

/** An import blocks other writers of its tenant while it writes, so larger files must be split. */
export const rowsMax = 1_000_000;

/** The stored status of each status in a file. `pending` and `expired` follow from the dates. */
const statuses: ReadonlyMap<unknown, StoredStatus> = new Map([
  [undefined, 'active'],
  ['pending', 'active'],
  ['active', 'active'],
  ['expired', 'active'],
  ['suspended', 'suspended'],
  ['revoked', 'revoked'],
]);

const statusProblem = { field: 'status', message: 'must be one of pending, active, suspended, revoked, expired' };

/** Runs `create` and returns the details of the validation error that it throws, or an empty list. */
export function problemsOfLicense(create: () => unknown): readonly ErrorDetail[] {
  try {
    create();
    return [];
  } catch (error) {
    if (error instanceof AppError && error.code === 'VALIDATION.FAILED') return error.details ?? [];
    throw error;
  }
}

function fieldProblems({ fields, hasHolderColumns }: RowCandidate): readonly ErrorDetail[] {
  const found = problemsOfFields(fields);
  if (!hasHolderColumns) return found;
  return found.map(({ field, message }) => ({ field: field.replace(/^holder\./, 'holder_'), message }));
}

/** Returns the fields of a row as the input of `newLicense`, and the problems of its entitlements. */
export function toChange(
  { definitions }: LicenseCatalog,
  { entitlements, ...fields }: LicenseFields,
): { readonly change: LicenseChangeInput; readonly problems: readonly ErrorDetail[] } {
  if (entitlements == null) return { change: fields, problems: [] };
  const { stored, problems } = storeGrants(definitions, entitlements);
  return { change: { ...fields, entitlements: stored }, problems };
}

/** Returns the value of a unique column in a row; undefined if there is none. */
export function uniqueValue(fields: LicenseFields, { name }: UniqueColumn): string | undefined {
  const value = fields[name];
  return value == null ? undefined : String(value);
}

interface RowCheck {
  readonly catalog: LicenseCatalog;
  readonly at: Timestamp;
  readonly problems: Problems;
  readonly spool: Spool;
}

/**
 * Returns a function that validates the rows of one file. It writes valid rows to the spool and adds the problems of
 * invalid rows to `problems`. It throws 413 `REQUEST.TOO_LARGE` for more than `rowsMax` rows.
 */
export function createRowCheck({ catalog, at, problems, spool }: RowCheck): TakeRow {
  const seen = uniqueColumns.map((column) => ({ column, values: new SeenValues() }));

  function repeatedValues(fields: LicenseFields): readonly ErrorDetail[] {
    return seen.flatMap(({ column, values }) => {
      const value = uniqueValue(fields, column);
      if (value === undefined || values.add(value)) return [];
      return [{ field: column.name, message: 'is already in an earlier row of the file' }];
    });
  }

  /** Problems that only fields which are valid by themselves can have: entitlements, dates, repeated values. */
  function combinedProblems(policy: CatalogPolicy, fields: LicenseFields): readonly ErrorDetail[] {
    const { change, problems: ofGrants } = toChange(catalog, fields);
    const found = [...ofGrants, ...problemsOfLicense(() => newLicense(policy, fields.key ?? '', change, at))];
    return found.length > 0 ? found : repeatedValues(fields);
  }

  return (row, candidate) => {
    if (row > rowsMax) {
      throw new AppError('REQUEST.TOO_LARGE', `The file has too many rows. Send at most ${rowsMax} rows per file.`);
    }
    if (!candidate.isReadable) {
      problems.add(row, candidate.problems);
      return;
    }
    const policy = policyOfRow(catalog, candidate);
    const status = statuses.get(candidate.status);
    const found = [...candidate.problems, ...fieldProblems(candidate)];
    if (isProblem(policy)) found.push(policy);
    if (status === undefined) found.push(statusProblem);
    const fields = candidate.fields as LicenseFields;
    if (found.length === 0 && !isProblem(policy)) found.push(...combinedProblems(policy, fields));
    if (found.length > 0 || isProblem(policy) || status === undefined) problems.add(row, found);
    else spool.add({ row, policyId: policy.id, status, fields });
  };
}
