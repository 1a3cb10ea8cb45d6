import type { Kysely } from 'kysely';
import type { Engine, PreparedRead, SqlValue } from './database.ts';
import { assertSqlValues } from './sql-values.ts';

/** A parameter of a compiled read: a constant, or the position of one of the caller's arguments. */
type Slot = { readonly constant: SqlValue } | { readonly argument: number };

export interface CompiledRead {
  readonly sql: string;
  /** The statement's parameters in order, from the caller's arguments. Throws on a wrong number or type of them. */
  readonly bind: (args: readonly SqlValue[]) => readonly SqlValue[];
}

// The SQL of a read depends on the engine alone, so that thousands of open databases share one compilation.
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
    throw new Error(`The prepared read ${name} leaves out one of its parameters: number them from 0 without gaps.`);
  }
  const check = (args: readonly SqlValue[]) => {
    if (args.length !== arity) {
      throw new Error(`The prepared read ${name} takes ${arity} arguments and was given ${args.length}.`);
    }
    assertSqlValues(args);
  };
  const takesArgumentsAsTheyAre =
    slots.length === arity && slots.every((slot, index) => 'argument' in slot && slot.argument === index);
  if (takesArgumentsAsTheyAre) {
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

/** The SQL of a prepared read on one engine, compiled at its first use. */
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
