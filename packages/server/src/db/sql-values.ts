import type { SqlValue } from './database.ts';

function isSqlValue(value: unknown): value is SqlValue {
  return (
    typeof value === 'string' ||
    (typeof value === 'number' && Number.isFinite(value)) ||
    value === null ||
    typeof value === 'bigint' ||
    value instanceof Uint8Array
  );
}

/**
 * Throws a TypeError for a parameter that the two engines treat differently: booleans, `undefined`, dates, NaN,
 * objects. The drivers would silently bind some of them as NULL.
 */
export function assertSqlValues(values: readonly unknown[]): asserts values is readonly SqlValue[] {
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (!isSqlValue(value)) {
      const what = value instanceof Date ? 'a Date' : typeof value === 'number' ? String(value) : typeof value;
      throw new TypeError(
        `SQL parameter ${index + 1} is ${what}: pass a string, a finite number, a bigint, bytes or null (flags are 0 and 1).`,
      );
    }
  }
}
