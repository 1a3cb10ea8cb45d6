import { parseJsonText } from '../../../../http/json-text.ts';
import { ignoredColumns, importedColumns } from '../columns.ts';
import { UnreadableFileError } from './problems.ts';
import {
  type RowCandidate,
  type RowReader,
  rowMaxBytes,
  type TakeRow,
  tooLongRow,
  toRowCandidate,
  unreadableRow,
} from './row-reader.ts';

const newline = 0x0a;
const known: ReadonlySet<string> = new Set([...importedColumns, ...ignoredColumns, 'holder']);
/** Fields in which null means absent. In other fields null overrides the policy. */
const absentWhenNull: ReadonlySet<string> = new Set(['policy', 'policy_id', 'product', 'key', 'status', 'starts_at']);

const ignored: ReadonlySet<string> = new Set(ignoredColumns);

/** Reads a line, and adds the names of its known fields to `names`. */
function readLine(line: string, names: Set<string>): RowCandidate {
  const { value, problems } = parseJsonText(line);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return unreadableRow(problems[0]?.message ?? 'The row must be a JSON object.');
  }
  const values: Record<string, unknown> = {};
  const found = [...problems];
  for (const [name, item] of Object.entries(value)) {
    if (!known.has(name)) {
      found.push({
        field: name.slice(0, 200) || 'row',
        message: 'This field is not known. Remove it or correct its name.',
      });
      continue;
    }
    names.add(name);
    if (item !== null || !absentWhenNull.has(name)) values[name] = item;
  }
  return toRowCandidate(values, found);
}

/**
 * Returns a reader of one JSON object per line (https://github.com/ndjson/ndjson-spec). Empty lines are skipped and not
 * counted as rows.
 */
export function createNdjsonReader(takeRow: TakeRow): RowReader {
  let nextRow = 1;
  const names = new Set<string>();
  let carried: Buffer[] = [];
  let carriedBytes = 0;
  let isFirst = true;

  function take(bytes: Buffer): void {
    let line = bytes.toString('utf8');
    if (isFirst && line.startsWith('\ufeff')) line = line.slice(1);
    isFirst = false;
    if (line.trim() === '') return;
    takeRow(nextRow, readLine(line, names));
    nextRow += 1;
  }

  function carry(bytes: Buffer): void {
    if (bytes.length === 0) return;
    carriedBytes += bytes.length;
    if (carriedBytes > rowMaxBytes) throw new UnreadableFileError(nextRow, 'row', tooLongRow);
    carried.push(bytes);
  }

  function takeCarried(): void {
    const bytes = carried.length === 1 ? carried[0] : Buffer.concat(carried);
    carried = [];
    carriedBytes = 0;
    if (bytes !== undefined) take(bytes);
  }

  return {
    get nextRow() {
      return nextRow;
    },
    get columns() {
      return Array.from(names, (name) => ({ name, isImported: !ignored.has(name) }));
    },
    write(bytes) {
      let start = 0;
      for (;;) {
        const end = bytes.indexOf(newline, start);
        if (end === -1) break;
        carry(bytes.subarray(start, end));
        takeCarried();
        start = end + 1;
      }
      carry(bytes.subarray(start));
    },
    end: () => takeCarried(),
  };
}
