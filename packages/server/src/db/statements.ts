import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
import type { Engine, PreparedRead, SqlValue } from './database.ts';

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

/** A parameter of a compiled read: a constant, or the position of one of the caller's arguments. */
type Slot = { readonly constant: SqlValue } | { readonly argument: number };

/** A prepared read for one engine. */
export interface CompiledRead {
  readonly sql: string;
  /** Returns the statement's parameters in order. Throws if the number or a type of the arguments is wrong. */
  readonly bind: (args: readonly SqlValue[]) => readonly SqlValue[];
}

// The SQL of a read depends only on the engine, so thousands of open databases share one compilation.
const compiledReads: Readonly<Record<Engine, WeakMap<object, CompiledRead>>> = {
  sqlite: new WeakMap(),
  postgres: new WeakMap(),
};

const markerPattern = /\uE000argument:(\d+)\uE000/;

function slotOf(name: string, parameter: unknown): Slot {
  if (typeof parameter === 'string') {
    const match = markerPattern.exec(parameter);
    if (match !== null) {
      if (match[0] !== parameter) {
        throw new Error(
          `The prepared read ${name} changes a placeholder before it is bound: pass the final value instead.`,
        );
      }
      return { argument: Number(match[1]) };
    }
  }
  return { constant: parameter as SqlValue };
}

function binderOf(name: string, slots: readonly Slot[]): CompiledRead['bind'] {
  const positions = slots.flatMap((slot) => ('argument' in slot ? [slot.argument] : []));
  const arity = new Set(positions).size;
  if (positions.some((position) => position >= arity)) {
    throw new Error(`The prepared read ${name} omits one of its parameters: number them from 0 without gaps.`);
  }
  const check = (args: readonly SqlValue[]) => {
    if (args.length !== arity) {
      throw new Error(`The prepared read ${name} takes ${arity} arguments and was given ${args.length}.`);
    }
    assertSqlValues(args);
  };
  const usesArgumentsUnchanged =
    slots.length === arity && slots.every((slot, index) => 'argument' in slot && slot.argument === index);
  if (usesArgumentsUnchanged) {
    return (args) => {
      check(args);
      return args;
    };
  }
  return (args) => {
    check(args);
    return slots.map((slot) => ('argument' in slot ? (args[slot.argument] as SqlValue) : slot.constant));
  };
}

/**
 * Returns the SQL of a prepared read on one engine, compiled at its first use. Throws if its placeholders are misused.
 */
export function compileRead<Tables, Row>(
  engine: Engine,
  query: Kysely<Tables>,
  read: PreparedRead<Tables, Row>,
): CompiledRead {
  const known = compiledReads[engine].get(read);
  if (known !== undefined) return known;
  const { sql, parameters } = read.build(query, (index) => `\uE000argument:${index}\uE000`).compile();
  const slots = parameters.map((parameter) => slotOf(read.name, parameter));
  const compiled: CompiledRead = { sql, bind: binderOf(read.name, slots) };
  compiledReads[engine].set(read, compiled);
  return compiled;
}
