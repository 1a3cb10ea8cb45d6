import type { ErrorDetail } from '../../../../lib/error.ts';
import type { ImportedColumn } from '../file-format.ts';

/** A row as it stands in the file, in the words of `POST /licenses` as far as they are known. */
export interface RowCandidate {
  /** What names the policy and says the status: not looked at yet. */
  readonly policy: unknown;
  readonly policyId: unknown;
  readonly product: unknown;
  readonly status: unknown;
  /** The rest: the body of a `POST /licenses` without its policy. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** False when the row as a whole cannot be read: then nothing else of it is told. */
  readonly isReadable: boolean;
  /** What is wrong with the row already. */
  readonly problems: readonly ErrorDetail[];
  /** The holder came in columns of its own: its problems are told by their names. */
  readonly hasHolderColumns: boolean;
}

export type TakeRow = (row: number, candidate: RowCandidate) => void;

/** Reads rows out of bytes. Both calls throw an `UnreadableFileError` where the rows end to be rows. */
export interface RowReader {
  /** The row that comes next, from 1; 0 while the header is awaited. */
  readonly nextRow: number;
  write(bytes: Buffer): void | Promise<void>;
  end(): void | Promise<void>;
}

/** The longest row, in bytes: as long as the body of any other request. */
export const rowMaxBytes = 1024 * 1024;

export const tooLongRow = 'is longer than 1 MiB; look for a quote that is never closed or a line that never ends';

const holderColumns = { holder_name: 'name', holder_email: 'email', holder_reference: 'reference' } as const;
const ownFields = [
  'key',
  'starts_at',
  'expires_at',
  'maintenance_expires_at',
  'max_activations',
  'entitlements',
  'metadata',
] as const satisfies readonly ImportedColumn[];

/** A row that cannot be read at all. */
export function unreadableRow(message: string): RowCandidate {
  return { ...toRowCandidate({}, [{ field: 'row', message }]), isReadable: false };
}

/** Puts the values of a row where `POST /licenses` has them. An absent value is undefined. */
export function toRowCandidate(
  values: { readonly [column in ImportedColumn | 'holder']?: unknown },
  problems: readonly ErrorDetail[],
): RowCandidate {
  const { policy, policy_id: policyId, product, status, holder: nested } = values;
  const fields: Record<string, unknown> = {};
  for (const name of ownFields) if (values[name] !== undefined) fields[name] = values[name];
  let holder: Record<string, unknown> | undefined;
  for (const [column, name] of Object.entries(holderColumns)) {
    const value = values[column as keyof typeof holderColumns];
    if (value === undefined) continue;
    holder ??= {};
    holder[name] = value;
  }
  const hasHolderColumns = holder !== undefined;
  const twice = { field: 'holder', message: 'must not stand beside holder_name, holder_email or holder_reference' };
  const hasBoth = hasHolderColumns && nested !== undefined;
  if (hasHolderColumns || nested !== undefined) fields['holder'] = holder ?? nested;
  return {
    policy,
    policyId,
    product,
    status,
    fields,
    hasHolderColumns,
    isReadable: true,
    problems: hasBoth ? [...problems, twice] : problems,
  };
}
