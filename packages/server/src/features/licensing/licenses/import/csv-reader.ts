import { CsvError, type Parser, parse } from 'csv-parse';
import { parseJsonText } from '../../../../http/json-text.ts';
import { unescapeFormula } from '../../../../lib/csv.ts';
import type { ErrorDetail } from '../../../../lib/error.ts';
import { yieldToEventLoop } from '../../../../lib/yield-to-event-loop.ts';
import {
  type ColumnKind,
  earlierNoDate,
  type ImportedColumn,
  ignoredColumns,
  importedColumns,
  noDate,
  nullableColumns,
  nullableNames,
} from '../columns.ts';
import { UnreadableFileError } from './problems.ts';
import { type RowReader, rowMaxBytes, type TakeRow, tooLongRow, toRowCandidate, unreadableRow } from './row-reader.ts';

const known: readonly string[] = [...importedColumns, ...ignoredColumns];
const ignored: readonly string[] = ignoredColumns;

/** A known column of a file. */
type FileColumn = ImportedColumn | (typeof ignoredColumns)[number];

/** Spreadsheets have at most 16,384 columns, and may write a separator for each. */
const headerMaxBytes = 32 * 1024;
const tooLongHeader = 'The first line is longer than 32 KiB. It names the columns: look for a missing line feed.';
const stepBytes = 4 * 1024;

// `trim` alone would take long for a row of a million empty cells.
const hasValue = (cell: string) => cell !== '' && cell.trim() !== '';

/** Spreadsheets write cells of columns that were used once, without a name, at the end of every row. */
function withoutEmptyEnd(cells: readonly string[], length = 0): readonly string[] {
  const end = cells.findLastIndex(hasValue) + 1;
  return cells.slice(0, Math.max(end, length));
}

function toHeader(cells: readonly string[]): readonly FileColumn[] {
  const names = withoutEmptyEnd(cells).map((cell) => cell.trim());
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const field = unknown.slice(0, 100) || 'header';
    throw new UnreadableFileError(0, field, `This column is unknown. The columns are ${importedColumns.join(', ')}.`);
  }
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined)
    throw new UnreadableFileError(0, repeated, 'The header names this column twice. Name it once.');
  if (!names.includes('policy') && !names.includes('policy_id')) {
    throw new UnreadableFileError(0, 'policy', 'This column is missing. Add a column policy or policy_id.');
  }
  return names as FileColumn[];
}

type ToValue = (cell: string) => { readonly value: unknown; readonly problems: readonly ErrorDetail[] };

const noProblems: readonly ErrorDetail[] = [];
const toText: ToValue = (cell) => ({ value: unescapeFormula(cell), problems: noProblems });
const toDate: ToValue = (cell) => ({
  value: cell === noDate || cell === earlierNoDate ? null : cell,
  problems: noProblems,
});
// Text that is not an exactly representable integer stays a string. Validation then reports that a number is required.
const toNumber: ToValue = (cell) => ({ value: /^-?\d{1,15}$/.test(cell) ? Number(cell) : cell, problems: noProblems });
const toJson: ToValue = (cell) => parseJsonText(unescapeFormula(cell));

const ofKind: Readonly<Record<ColumnKind, ToValue>> = { text: toText, integer: toNumber, date: toDate };

const toValue: ReadonlyMap<ImportedColumn, ToValue> = new Map<ImportedColumn, ToValue>([
  ...nullableNames.map((name) => [name, ofKind[nullableColumns[name].kind]] as const),
  ['entitlements', toJson],
  ['metadata', toJson],
]);

/** An export and its import keep the white space of these, as the API does. */
const freeTexts: ReadonlySet<FileColumn> = new Set(['holder_name', 'holder_reference', 'order_number']);

function isImported(column: FileColumn): column is ImportedColumn {
  return !ignored.includes(column);
}

function readRecord(header: readonly FileColumn[], cells: readonly string[]) {
  const record = withoutEmptyEnd(cells, header.length);
  if (record.length !== header.length) {
    return unreadableRow(`The row has ${record.length} cells, but the header has ${header.length}.`);
  }
  const values: Partial<Record<ImportedColumn, unknown>> = {};
  const problems: ErrorDetail[] = [];
  for (const [index, column] of header.entries()) {
    const cell = freeTexts.has(column) ? record[index] : record[index]?.trim();
    if (cell === undefined || cell === '' || !isImported(column)) continue;
    const read = (toValue.get(column) ?? toText)(cell);
    values[column] = read.value;
    for (const { field, message } of read.problems) {
      problems.push({ field: field === '' ? column : `${column}.${field}`, message });
    }
  }
  return toRowCandidate(values, problems);
}

function explain(error: unknown, row: number): unknown {
  if (!(error instanceof CsvError)) return error;
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return new UnreadableFileError(row, 'row', 'The row has a quote that is never closed.');
    case 'CSV_MAX_RECORD_SIZE':
      return new UnreadableFileError(row, 'row', tooLongRow);
    default:
      return new UnreadableFileError(
        row,
        'row',
        'A cell without quotes contains a quote. Enclose the cell in quotes and double the quote inside.',
      );
  }
}

const lineFeeds = /[\r\n]/;
const hasLineFeed = (bytes: Buffer) => bytes.includes('\n') || bytes.includes('\r');
/** In the order in which they are tried. Spreadsheets of many countries write semicolons. */
const delimiters = [',', ';', '\t'];

/** Returns the character that separates the cells: the one that divides the header into known columns. */
function delimiterOf(start: string): string {
  const header = start.replace(/^\uFEFF/, '').split(lineFeeds, 1)[0] ?? '';
  const names = (delimiter: string) => header.split(delimiter).map((name) => name.trim().replace(/^"|"$/g, ''));
  return delimiters.find((one) => names(one).some((name) => known.includes(name))) ?? ',';
}

/**
 * Returns a reader of CSV (RFC 4180) with a header. Cells are separated by commas, semicolons or tabs, as the header is.
 * Lines can end with CR, LF or CRLF. Rows without any value are skipped and not counted. White space around cells,
 * free texts excepted, and empty cells at the end of a row are ignored.
 */
export function createCsvReader(takeRow: TakeRow): RowReader {
  let header: readonly FileColumn[] | undefined;
  let nextRow = 0;
  let parser: Parser | undefined;
  let start = Buffer.alloc(0);
  const open = () => {
    parser = createParser(delimiterOf(start.toString('utf8')), (record) => {
      // A row without any value, which spreadsheets write as separators only, is skipped like an empty line.
      if (!record.some(hasValue)) return;
      if (header === undefined) header = toHeader(record);
      else takeRow(nextRow, readRecord(header, record));
      nextRow += 1;
    });
    return parser;
  };
  const settled = (send: (done: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => {
      send((error) => (error ? reject(explain(error, nextRow)) : resolve()));
    });
  let rowsRead = 0;
  let rowBytes = 0;
  const write = async (opened: Parser, bytes: Buffer) => {
    await settled((done) => opened.write(bytes, done));
    // The parser's own limit counts no separators, of which a row could have any number.
    const { records, empty_lines } = opened.info;
    rowBytes = records + empty_lines === rowsRead ? rowBytes + bytes.length : 0;
    rowsRead = records + empty_lines;
    if (rowBytes > rowMaxBytes) throw new UnreadableFileError(nextRow, 'row', tooLongRow);
  };
  /** Writes the bytes until the end of the header in steps: many cells take long. */
  const writeStart = async () => {
    const opened = open();
    for (let from = 0; from < start.length; from += stepBytes) {
      await write(opened, start.subarray(from, from + stepBytes));
      await yieldToEventLoop();
    }
    return opened;
  };
  return {
    get nextRow() {
      return nextRow;
    },
    get columns() {
      return (header ?? []).map((name) => ({ name, isImported: isImported(name) }));
    },
    async write(bytes) {
      if (parser !== undefined) return await write(parser, bytes);
      start = Buffer.concat([start, bytes]);
      if (start.length > headerMaxBytes && !hasLineFeed(start.subarray(0, headerMaxBytes)))
        throw new UnreadableFileError(0, 'header', tooLongHeader);
      // The header tells how cells are separated.
      if (hasLineFeed(bytes)) await writeStart();
    },
    async end() {
      // Undefined for a file of one line without its end.
      const last = parser ?? (await writeStart());
      await settled((done) => {
        last.once('error', done);
        last.once('end', done);
        last.end();
      });
      if (header === undefined)
        throw new UnreadableFileError(0, 'header', 'The header is missing. The first row names the columns.');
    },
  };
}

function createParser(delimiter: string, takeRecord: (record: string[]) => void): Parser {
  const parser = parse({
    bom: true,
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: rowMaxBytes,
    // Returning null keeps the record out of the parser's output stream, which is not consumed.
    on_record(record: string[]) {
      takeRecord(record);
      return null;
    },
  });
  // The callbacks of the reader handle errors. An error event without a listener would end the process.
  parser.on('error', () => undefined);
  parser.resume();
  return parser;
}
