import type { Kysely } from 'kysely';
import type { Engine, PreparedRead, SqlValue } from './database.ts';
import { assertSqlValues } from './statements.ts';

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
