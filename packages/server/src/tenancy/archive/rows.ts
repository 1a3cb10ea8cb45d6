import type { CopiedColumn } from '../../db/copy/tables.ts';
import type { SqlValue } from '../../db/database.ts';

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;

/** What is wrong with a row: completed by who knows the file and the table. */
export class BadRowError extends Error {}

/**
 * Makes the reader of a table's lines: arrays of texts, whole numbers and nulls, as the columns have them. Numbers
 * that JavaScript does not hold exactly become bigints.
 */
export function rowParser(columns: readonly CopiedColumn[]): (line: string) => SqlValue[] {
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
  if (typeof value !== 'number') throw new BadRowError('what should be a number is none');
  return Number.isSafeInteger(value);
}

/** What the API refuses as well: PostgreSQL stores neither NUL nor half characters. */
function isExactText(value: unknown): boolean {
  if (typeof value !== 'string') throw new BadRowError('what should be a text is none');
  if (value.includes('\u0000') || !value.isWellFormed()) throw new BadRowError('a text has a NUL or half a character');
  return true;
}

function parseArray(line: string, length: number): unknown[] {
  let values: unknown;
  try {
    values = JSON.parse(line);
  } catch (error) {
    throw new BadRowError('a row is no JSON', { cause: error });
  }
  if (!Array.isArray(values) || values.length !== length) throw new BadRowError('a row has too few or too many values');
  return values;
}

/** What JSON.parse gives a reviver beyond its types: https://tc39.es/ecma262/#sec-json.parse */
type SourceReviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

const keepExact: SourceReviver = (_key, value, { source }) =>
  typeof value === 'number' && !Number.isSafeInteger(value) ? toBigInt(source ?? '') : value;

function parseExactly(line: string): SqlValue[] {
  return JSON.parse(line, keepExact as (key: string, value: unknown) => unknown);
}

function toBigInt(source: string): bigint {
  if (!/^-?\d{1,19}$/.test(source)) throw new BadRowError('a number is no whole number of 64 bits');
  const value = BigInt(source);
  if (value < smallest || value > largest) throw new BadRowError('a number is no whole number of 64 bits');
  return value;
}
