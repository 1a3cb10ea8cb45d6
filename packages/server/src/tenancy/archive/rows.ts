import type { ArchivedColumn } from '../../db/archive/tables.ts';
import type { SqlValue } from '../../db/database.ts';

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;

/** A row that cannot be stored. The caller adds the file's name to the message. */
export class BadRowError extends Error {}

/**
 * Returns a parser for a table's lines, which throws a `BadRowError` unless a line is an array of one text, whole
 * number or null per column, according to the column's type. Integers beyond `Number.MAX_SAFE_INTEGER` become bigints.
 */
export function rowParser(columns: readonly ArchivedColumn[]): (line: string) => SqlValue[] {
  const checks = columns.map(({ type }) => (type === 'integer' ? isExactInteger : isExactText));
  return (line) => {
    const values = parseArray(line, columns.length);
    let isExact = true;
    for (const [index, isExactValue] of checks.entries()) {
      const value = values[index];
      if (value !== null && !isExactValue(value)) isExact = false;
    }
    return isExact ? (values as SqlValue[]) : parseExactly(line);
  };
}

function isExactInteger(value: unknown): boolean {
  if (typeof value !== 'number') throw new BadRowError('a value that should be a number is not');
  return Number.isSafeInteger(value);
}

/** PostgreSQL stores neither NUL nor unpaired surrogates; the API rejects both too. */
function isExactText(value: unknown): boolean {
  if (typeof value !== 'string') throw new BadRowError('a value that should be text is not');
  if (value.includes('\u0000') || !value.isWellFormed())
    throw new BadRowError('a text contains NUL or an unpaired surrogate');
  return true;
}

function parseArray(line: string, length: number): unknown[] {
  let values: unknown;
  try {
    values = JSON.parse(line);
  } catch (error) {
    throw new BadRowError('a row is not valid JSON', { cause: error });
  }
  if (!Array.isArray(values) || values.length !== length) throw new BadRowError('a row has too few or too many values');
  return values;
}

/** The reviver of `JSON.parse` with its `context`, which the types lack: https://tc39.es/ecma262/#sec-json.parse */
type SourceReviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

const keepExact: SourceReviver = (_key, value, { source }) =>
  typeof value === 'number' && !Number.isSafeInteger(value) ? toBigInt(source ?? '') : value;

function parseExactly(line: string): SqlValue[] {
  return JSON.parse(line, keepExact as (key: string, value: unknown) => unknown);
}

function toBigInt(source: string): bigint {
  if (!/^-?\d{1,19}$/.test(source)) throw new BadRowError('a number is not a 64-bit integer');
  const value = BigInt(source);
  if (value < smallest || value > largest) throw new BadRowError('a number is not a 64-bit integer');
  return value;
}
