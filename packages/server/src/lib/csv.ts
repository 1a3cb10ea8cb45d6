import { stringify } from 'csv-stringify/sync';

// Excel reads full-width signs as their ASCII forms, and skips a leading line feed.
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;
const escapedFormula = /^'+[=+\-@\t\r\n＝＋－＠]/;
// Many readers treat a single carriage return as the end of a line. A spreadsheet whose list separator is a semicolon or
// a tab divides unquoted cells there, and the second part could begin like a formula.
const options = { quoted_match: /[\r\n;\t]/ };

/**
 * Escapes a cell that a spreadsheet would evaluate as a formula
 * (https://owasp.org/www-community/attacks/CSV_Injection) by prefixing an apostrophe. A cell that already looks escaped
 * gets another apostrophe, so that `unescapeFormula` restores the exact text.
 */
export function escapeFormula(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** Reverses `escapeFormula`. */
export function unescapeFormula(cell: string): string {
  return escapedFormula.test(cell) ? cell.slice(1) : cell;
}

/** Returns the lines of a CSV file, each terminated by a line feed. Formulas must be escaped already. */
export function writeCsv(rows: readonly (readonly string[])[]): string {
  return stringify(
    rows.map((row) => [...row]),
    options,
  );
}
