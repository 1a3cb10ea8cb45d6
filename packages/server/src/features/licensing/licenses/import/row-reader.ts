import type { ErrorDetail } from '../../../../lib/error.ts';
import { idOrText } from '../../../../lib/ids.ts';
import { holderColumns, type ImportedColumn, nullableNames } from '../columns.ts';

/** A parsed row that is not validated yet. */
export interface RowCandidate {
  readonly policy: unknown;
  readonly policyId: unknown;
  readonly product: unknown;
  readonly status: unknown;
  /** All other fields, in the shape of the body of `POST /licenses` without `policy_id`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** False when the row could not be parsed. Only `problems` is then meaningful. */
  readonly isReadable: boolean;
  /** Problems found while parsing. */
  readonly problems: readonly ErrorDetail[];
  /** True when the holder is in `holder_` columns. Problems of the holder then name these columns. */
  readonly hasHolderColumns: boolean;
}

/** Receives each row with its number, from 1. */
export type TakeRow = (row: number, candidate: RowCandidate) => void;

/** A column of a file. Columns that are not imported are derived columns of an export. */
export interface FileColumn {
  readonly name: string;
  readonly isImported: boolean;
}

/**
 * Parses rows from the bytes of a file. `write` and `end` throw an `UnreadableFileError` when the remaining bytes
 * cannot be divided into rows.
 */
export interface RowReader {
  /** The number of the next row, from 1; 0 before the header. */
  readonly nextRow: number;
  /** The columns that were read so far, in the order of the file. */
  readonly columns: readonly FileColumn[];
  write(bytes: Buffer): void | Promise<void>;
  end(): void | Promise<void>;
}

/** The maximum length of a row in bytes: 1 MiB, like the body of other requests. */
export const rowMaxBytes = 1024 * 1024;

/** The message for a row that is longer than `rowMaxBytes`. */
export const tooLongRow = 'The row is longer than 1 MiB. Look for a quote that is not closed or a missing line feed.';

const ownFields = [
  'key',
  'starts_at',
  ...nullableNames,
  'entitlements',
  'metadata',
] as const satisfies readonly ImportedColumn[];

/** Returns a row that could not be parsed. */
export function unreadableRow(message: string): RowCandidate {
  return { ...toRowCandidate({}, [{ field: 'row', message }]), isReadable: false };
}

function toId(value: unknown): unknown {
  return typeof value === 'string' ? idOrText(value) : value;
}

/** Maps the columns of a row to the fields of `POST /licenses`. An absent value is undefined. */
export function toRowCandidate(
  values: { readonly [column in ImportedColumn | 'holder']?: unknown },
  problems: readonly ErrorDetail[],
): RowCandidate {
  const { policy, policy_id: policyId, product, status, holder: nested } = values;
  const fields: Record<string, unknown> = {};
  for (const name of ownFields) if (values[name] !== undefined) fields[name] = values[name];
  let holder: Record<string, unknown> | undefined;
  for (const { column, name } of holderColumns) {
    const value = values[column];
    if (value === undefined) continue;
    holder ??= {};
    holder[name] = value;
  }
  const hasHolderColumns = holder !== undefined;
  const twice = { field: 'holder', message: 'Send `holder` as one object or in fields of its own, not both.' };
  const hasBoth = hasHolderColumns && nested !== undefined;
  if (hasHolderColumns || nested !== undefined) fields['holder'] = holder ?? nested;
  return {
    policy,
    policyId: toId(policyId),
    product: toId(product),
    status,
    fields,
    hasHolderColumns,
    isReadable: true,
    problems: hasBoth ? [...problems, twice] : problems,
  };
}
