import { CompiledQuery, type Transaction } from 'kysely';
import type { SqlValue } from './database.ts';

const scripts = new WeakSet<CompiledQuery>();

/** Runs several statements without parameters or results; PostgreSQL receives them as one message. */
export async function executeScript<Tables>(tx: Transaction<Tables>, statements: string): Promise<void> {
  const script = CompiledQuery.raw(statements);
  scripts.add(script);
  await tx.executeQuery(script);
}

/**
 * Returns true for a query of `executeScript`, which SQLite must not prepare: it would run only the first statement.
 */
export function isScript(query: CompiledQuery): boolean {
  return scripts.has(query);
}

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

const parametersOf = new WeakMap<CompiledQuery, readonly (readonly SqlValue[])[]>();

/**
 * Runs a statement once for each list of parameters, in their order, without building and awaiting it each time. On
 * SQLite only, where a statement costs no round trip; it blocks the process for about 15 µs for each list.
 */
export async function executeForEach<Tables>(
  tx: Transaction<Tables>,
  query: CompiledQuery,
  parameters: readonly (readonly SqlValue[])[],
): Promise<void> {
  parametersOf.set(query, parameters);
  await tx.executeQuery(query);
}

/** Returns the lists of parameters of a query of `executeForEach`; undefined for any other query. */
export function parametersOfEach(query: CompiledQuery): readonly (readonly SqlValue[])[] | undefined {
  return parametersOf.get(query);
}
