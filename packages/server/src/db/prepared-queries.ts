import {
  CompiledQuery,
  type Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  type PrimitiveValueListNode,
  ValueListNode,
  ValueNode,
} from 'kysely';
import type { Engine, PreparedRead, SqlValue } from './database.ts';
import { isPostgres } from './dialect.ts';
import { assertSqlValues } from './statements.ts';

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
const markerOf = (index: number) => `\uE000argument:${index}\uE000`;

/**
 * Writes the constants of a prepared read into its SQL. SQLite would plan a statement again at each call in which a
 * parameter is compared with the column of a partial index, which takes longer than the read.
 */
class LiteralConstants extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return literalUnlessArgument(node.value);
  }

  protected override transformPrimitiveValueList(node: PrimitiveValueListNode): PrimitiveValueListNode {
    // The compiler writes both kinds of list alike, and only this one may contain literals.
    return ValueListNode.create(node.values.map(literalUnlessArgument)) as unknown as PrimitiveValueListNode;
  }
}

function literalUnlessArgument(value: unknown): ValueNode {
  const isArgument = typeof value === 'string' && markerPattern.test(value);
  return isArgument ? ValueNode.create(value) : ValueNode.createImmediate(value);
}

const literalConstants = new LiteralConstants();
const literalConstantsPlugin: KyselyPlugin = {
  transformQuery: ({ node, queryId }) => literalConstants.transformNode(node, queryId),
  transformResult: ({ result }) => Promise.resolve(result),
};

/** Returns the position of the caller's argument that a placeholder stands for. */
function argumentOf(name: string, placeholder: unknown): number {
  const match = typeof placeholder === 'string' ? markerPattern.exec(placeholder) : null;
  if (match === null || match[0] !== placeholder) {
    throw new Error(
      `The prepared read ${name} changes a placeholder before it is bound: pass the final value instead.`,
    );
  }
  return Number(match[1]);
}

function binderOf(name: string, positions: readonly number[]): CompiledRead['bind'] {
  const arity = new Set(positions).size;
  if (positions.some((position) => position >= arity)) {
    throw new Error(`The prepared read ${name} omits one of its parameters: number them from 0 without gaps.`);
  }
  const isInOrder = positions.length === arity && positions.every((position, index) => position === index);
  return (args) => {
    if (args.length !== arity) {
      throw new Error(`The prepared read ${name} takes ${arity} arguments and was given ${args.length}.`);
    }
    assertSqlValues(args);
    return isInOrder ? args : positions.map((position) => args[position] as SqlValue);
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
  const { sql, parameters } = read.build(query.withPlugin(literalConstantsPlugin), markerOf).compile();
  const positions = parameters.map((parameter) => argumentOf(read.name, parameter));
  const compiled: CompiledRead = { sql, bind: binderOf(read.name, positions) };
  compiledReads[engine].set(read, compiled);
  return compiled;
}

/**
 * Runs a prepared query in a transaction, or as a single statement, without building and compiling it again. Returns the
 * rows; a query that changes rows returns those that its `returning` clause names.
 */
export async function allIn<Tables, Row>(
  tx: Kysely<Tables>,
  query: PreparedRead<Tables, Row>,
  args: readonly SqlValue[],
): Promise<Row[]> {
  const { sql, bind } = compileRead(isPostgres(tx) ? 'postgres' : 'sqlite', tx, query);
  return (await tx.executeQuery<Row>(CompiledQuery.raw(sql, [...bind(args)]))).rows;
}

/** Runs a query like `allIn` and returns its first row. */
export async function firstIn<Tables, Row>(
  tx: Kysely<Tables>,
  query: PreparedRead<Tables, Row>,
  args: readonly SqlValue[],
): Promise<Row | undefined> {
  return (await allIn(tx, query, args))[0];
}
