import { hash } from 'node:crypto';
import { useTimezone } from '../../../../http/lenient-input.ts';
import type { Timestamp } from '../../../../lib/clock.ts';
import { AppError, type ErrorDetail } from '../../../../lib/error.ts';
import { storeGrants } from '../../entitlements/grants.ts';
import { type UniqueColumn, uniqueColumns } from '../columns.ts';
import type { LicenseChangeInput } from '../license.ts';
import type { CatalogPolicy, LicenseCatalog } from '../license-catalog.ts';
import type { StoredStatus } from '../license-status.ts';
import { newLicense } from '../service.ts';
import type { Problems } from './problems.ts';
import type { RowCandidate, TakeRow } from './row-reader.ts';
import { type LicenseFields, problemsOfFields } from './schemas.ts';
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

const statusProblem = { field: 'status', message: 'Choose one of pending, active, suspended, revoked, expired.' };

const archivedProblem = {
  field: 'policy',
  message: 'The policy or its product is archived. Unarchive it to issue licenses.',
};

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

/** How spreadsheets write a long number, in English and in German. */
const shortened = /^\d(?:[.,]\d+)?E[+-]\d+$/i;
const shortenedProblem =
  'A spreadsheet has shortened this text as if it were a number. Format the column as text and enter it again.';

/** Returns the problems of texts of which a spreadsheet has kept only a few digits, so that several rows may have the same. */
function shortenedTexts({ key, order_number, holder }: RowCandidate['fields']): readonly ErrorDetail[] {
  const reference = (holder as { readonly reference?: unknown } | null | undefined)?.reference;
  return Object.entries({ key, order_number, 'holder.reference': reference }).flatMap(([field, value]) =>
    typeof value === 'string' && shortened.test(value) ? [{ field, message: shortenedProblem }] : [],
  );
}

/** Returns the problems of the fields of a row, and replaces the days in valid ones by their moments in a timezone. */
function fieldProblems({ fields, hasHolderColumns }: RowCandidate, timezone: string): readonly ErrorDetail[] {
  const ofTexts = shortenedTexts(fields);
  const others = problemsOfFields(fields).filter(({ field }) => !ofTexts.some((problem) => problem.field === field));
  useTimezone(fields, timezone);
  const found = [...ofTexts, ...others];
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
      return [{ field: column.name, message: 'An earlier row of the file has the same value.' }];
    });
  }

  /** Problems that only fields which are valid by themselves can have: entitlements, dates, repeated values. */
  function combinedProblems(policy: CatalogPolicy, fields: LicenseFields): readonly ErrorDetail[] {
    const { change, problems: ofGrants } = toChange(catalog, fields);
    const found = [
      ...ofGrants,
      ...problemsOfLicense(() => newLicense(policy, fields.key ?? '', change, at, catalog.timezone)),
    ];
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
    const found = [...candidate.problems, ...fieldProblems(candidate, catalog.timezone)];
    if (isProblem(policy)) found.push(policy);
    if (status === undefined) found.push(statusProblem);
    const fields = candidate.fields as LicenseFields;
    if (found.length === 0 && !isProblem(policy)) found.push(...combinedProblems(policy, fields));
    if (found.length > 0 || isProblem(policy) || status === undefined) problems.add(row, found);
    else spool.add({ row, policyId: policy.id, status, fields });
  };
}

/** The policy that a row names, or the problem with the row's policy, policy_id or product. */
type Found = CatalogPolicy | ErrorDetail;

/** Returns true if `policyOfRow` found no policy. */
function isProblem(found: Found): found is ErrorDetail {
  return 'message' in found;
}

function isOf(product: unknown) {
  return ({ product_id, productCode }: CatalogPolicy) => product === productCode || product === product_id;
}

function byCode(catalog: LicenseCatalog, { policy, policyId, product }: RowCandidate): Found {
  const namesakes = catalog.byCode(String(policy));
  const matches = product === undefined ? namesakes : namesakes.filter(isOf(product));
  const [match, another] = matches;
  if (match === undefined) {
    const ofProduct = namesakes.length > 0 ? ' of this product' : '';
    return { field: 'policy', message: `Use the code of an existing policy${ofProduct}.` };
  }
  if (another !== undefined) {
    return { field: 'product', message: 'Enter the product, because policies of several products have this code.' };
  }
  // In a file of another tenant the id is unknown here and is ignored; the code identifies the policy.
  const named = typeof policyId === 'string' ? catalog.byId(policyId) : undefined;
  if (named !== undefined && named !== match) {
    return { field: 'policy_id', message: 'Use the id of the policy whose code is in the column policy.' };
  }
  return match;
}

function byId(catalog: LicenseCatalog, { policyId, product }: RowCandidate): Found {
  const match = typeof policyId === 'string' ? catalog.byId(policyId) : undefined;
  if (match === undefined) return { field: 'policy_id', message: 'Use the id of an existing policy.' };
  if (product === undefined || isOf(product)(match)) return match;
  return { field: 'product', message: 'Use the code or the id of the product of the policy.' };
}

/**
 * Finds the policy of a row by its code, together with the product where the code is ambiguous, or by its id when the
 * row has no code.
 */
function policyOfRow(catalog: LicenseCatalog, candidate: RowCandidate): Found {
  const named = namedPolicy(catalog, candidate);
  return isProblem(named) || named.isIssuing ? named : archivedProblem;
}

function namedPolicy(catalog: LicenseCatalog, candidate: RowCandidate): Found {
  if (candidate.policy !== undefined) return byCode(catalog, candidate);
  if (candidate.policyId !== undefined) return byId(catalog, candidate);
  return { field: 'policy', message: 'Enter the code of a policy.' };
}

const initialSlots = 1 << 12;

/**
 * The values of a unique column in one file. It stores 64 bits of the SHA-256 of each: a million values take 16 to 32
 * MiB, a tenth of the strings. The probability that two different values of a file with a million rows collide is 1 in
 * 37 million; the later row is then refused.
 */
class SeenValues {
  #slots = new BigUint64Array(initialSlots);
  #count = 0;

  /** Adds a value. Returns false when the value was already added. */
  add(text: string): boolean {
    const digest = hash('sha256', text, 'buffer');
    // Zero marks an empty slot.
    const value = digest.readBigUInt64LE(0) || 1n;
    const slot = find(this.#slots, value);
    if (this.#slots[slot] === value) return false;
    this.#slots[slot] = value;
    this.#count += 1;
    if (this.#count * 2 > this.#slots.length) this.#grow();
    return true;
  }

  #grow(): void {
    const larger = new BigUint64Array(this.#slots.length * 2);
    for (const value of this.#slots) if (value !== 0n) larger[find(larger, value)] = value;
    this.#slots = larger;
  }
}

/** Returns the index of a value, or of the empty slot for it (open addressing with linear probing). */
function find(slots: BigUint64Array, value: bigint): number {
  const mask = slots.length - 1;
  let slot = Number(value & 0xffff_ffffn) & mask;
  while (slots[slot] !== 0n && slots[slot] !== value) slot = (slot + 1) & mask;
  return slot;
}
