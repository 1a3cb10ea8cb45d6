/** A row of a file of licenses as it is written, and the line on which it begins. */
export interface FileRow {
  readonly line: number;
  readonly text: string;
}

/** The rows of a file, counted from 1 as the service counts them, and the header of a CSV file. */
export interface FileRows {
  readonly header: string | null;
  readonly rows: readonly FileRow[];
}

/** A problem of a row, as the service reports it. */
interface RowProblem {
  readonly row: number;
  readonly field: string;
  readonly message: string;
}

/** Divides the text of a file into its rows. Like the service, it skips empty lines. */
export function rowsOf(text: string, isNdjsonFile: boolean): FileRows {
  if (isNdjsonFile) return { header: null, rows: linesOf(text, false).filter((row) => row.text.trim() !== '') };
  const [header, ...rows] = linesOf(text, true);
  return { header: header?.text ?? null, rows };
}

/** Divides a text at its line ends, except for those within the quotes of a CSV file. */
function linesOf(text: string, hasQuotes: boolean): FileRow[] {
  const found: FileRow[] = [];
  let line = 1;
  let row = { line, start: 0 };
  let isQuoted = false;
  const finish = (end: number, next: number) => {
    if (end > row.start) found.push({ line: row.line, text: text.slice(row.start, end) });
    row = { line: line + 1, start: next };
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (hasQuotes && character === '"') isQuoted = !isQuoted;
    if (character !== '\n' && character !== '\r') continue;
    const width = character === '\r' && text[at + 1] === '\n' ? 2 : 1;
    if (!isQuoted) finish(at, at + width);
    line += 1;
    at += width - 1;
  }
  finish(text.length, text.length);
  return found;
}

const reasonColumn = 'reason';

/** Returns a file with the refused rows in the form of the input, each with the reasons in a last column. */
export function refusedFile({ header, rows }: FileRows, problems: readonly RowProblem[]): string {
  const reasons = reasonsByRow(problems);
  const refused = [...reasons].flatMap(([row, reason]) => {
    const text = rows[row - 1]?.text;
    return text === undefined ? [] : [{ text, reason }];
  });
  if (header === null) return refused.map(({ text, reason }) => `${withReason(text, reason)}\n`).join('');
  const delimiter = [',', ';', '\t'].find((one) => header.includes(one)) ?? ',';
  // The file was downloaded here before: its reasons are replaced.
  const isRepeated = header.split(delimiter).at(-1) === reasonColumn;
  const own = (text: string) => (isRepeated ? withoutLastCell(text, delimiter) : text);
  const lines = refused.map(({ text, reason }) => [own(text), `"${reason.replaceAll('"', '""')}"`]);
  return [[own(header), reasonColumn], ...lines].map((cells) => `${cells.join(delimiter)}\n`).join('');
}

function reasonsByRow(problems: readonly RowProblem[]): ReadonlyMap<number, string> {
  const reasons = new Map<number, string>();
  for (const { row, field, message } of problems) {
    const before = reasons.get(row);
    if (row > 0) reasons.set(row, `${before === undefined ? '' : `${before} `}${field}: ${message}`);
  }
  return reasons;
}

/** A line that is not JSON stays as it is: it has no place for a reason. */
function withReason(line: string, reason: string): string {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? JSON.stringify({ ...value, [reasonColumn]: reason }) : line;
  } catch {
    return line;
  }
}

function withoutLastCell(text: string, delimiter: string): string {
  let isQuoted = false;
  let end = text.length;
  for (const [at, character] of [...text].entries()) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) end = at;
  }
  return [...text].slice(0, end).join('');
}
