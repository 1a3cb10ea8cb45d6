import type { RowCandidate, RowReader, TakeRow } from './row-reader.ts';
import type { ImportPreview } from './schemas.ts';

const rowsMax = 20;
/** Bounds the size of the response: a row may be as long as 1 MiB. */
const textMax = 200;

/** The first rows of a file, as the import reads them. */
export class Preview {
  readonly rows: ImportPreview['rows'] = [];

  /** Returns a function that keeps the first rows and passes every row on. */
  keeping(takeRow: TakeRow): TakeRow {
    return (row, candidate) => {
      if (this.rows.length < rowsMax) this.rows.push({ row, values: valuesOf(candidate) });
      takeRow(row, candidate);
    };
  }
}

/** Returns the columns of a file in their order, and whether each is imported. */
export function columnsOf({ columns }: Pick<RowReader, 'columns'>): ImportPreview['columns'] {
  return columns.map(({ name, isImported }) => ({ name, imported: isImported }));
}

function valuesOf({ policy, policyId, product, status, fields }: RowCandidate): Record<string, string> {
  const { holder, ...others } = fields;
  const named = typeof holder === 'object' && holder !== null ? Object.entries(holder) : [];
  const all = { product, policy, policy_id: policyId, status, ...others };
  const values = [...Object.entries(all), ...named.map(([name, value]) => [`holder_${name}`, value] as const)];
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, textOf(value)]])));
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > textMax ? `${text.slice(0, textMax)}…` : text;
}
