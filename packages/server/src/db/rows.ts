import type { Kysely, Transaction } from 'kysely';
import { forUpdate } from './dialect.ts';

// Statements about the rows of one table that have these values. A query that needs more is written out in `queries.ts`.

/** The values that columns of a row must have, or its id. */
type Match<Row> =
  | { readonly [Column in keyof Row]?: NonNullable<Row[Column]> }
  | (Row extends { readonly id: infer Id } ? Id : never);

/** The signatures check the table, its columns and their values; no type of Kysely takes them as values. */
function untyped<Tables>(db: Kysely<Tables>, table: keyof Tables): [Kysely<{ rows: Record<string, unknown> }>, 'rows'] {
  return [db as unknown as Kysely<{ rows: Record<string, unknown> }>, table as 'rows'];
}

/** Returns the conditions of a match; throws if it is empty, which would match every row. */
function conditionsOf(match: unknown): readonly [column: string, value: unknown][] {
  if (typeof match !== 'object' || match === null) return [['id', match]];
  const conditions = Object.entries(match);
  if (conditions.length === 0) throw new Error('A match needs at least one column.');
  return conditions;
}

function select<Tables>(db: Kysely<Tables>, table: keyof Tables, match: unknown) {
  const [rows, name] = untyped(db, table);
  return conditionsOf(match).reduce(
    (query, [column, value]) => query.where(column, '=', value),
    rows.selectFrom(name).selectAll(),
  );
}

/** Inserts a row. Throws a unique or foreign key violation. */
export async function insertRow<Tables, Table extends keyof Tables & string>(
  db: Kysely<Tables>,
  table: Table,
  row: NoInfer<Tables[Table]>,
): Promise<void> {
  const [rows, name] = untyped(db, table);
  await rows
    .insertInto(name)
    .values(row as Record<string, unknown>)
    .execute();
}

/** Returns the row that matches, or undefined. */
export function findRow<Tables, Table extends keyof Tables & string>(
  db: Kysely<Tables>,
  table: Table,
  match: NoInfer<Match<Tables[Table]>>,
): Promise<Tables[Table] | undefined> {
  return select(db, table, match).executeTakeFirst() as Promise<Tables[Table] | undefined>;
}

/** Returns the row that matches, or undefined, and locks it until the transaction ends. */
export function lockRow<Tables, Table extends keyof Tables & string>(
  tx: Transaction<Tables>,
  table: Table,
  match: NoInfer<Match<Tables[Table]>>,
): Promise<Tables[Table] | undefined> {
  return forUpdate(tx, select(tx, table, match)).executeTakeFirst() as Promise<Tables[Table] | undefined>;
}

/** Changes columns of the rows that match. */
export async function updateRows<Tables, Table extends keyof Tables & string>(
  db: Kysely<Tables>,
  table: Table,
  match: NoInfer<Match<Tables[Table]>>,
  changes: NoInfer<Partial<Tables[Table]>>,
): Promise<void> {
  const [rows, name] = untyped(db, table);
  const update = rows.updateTable(name).set(changes as Record<string, unknown>);
  await conditionsOf(match)
    .reduce((query, [column, value]) => query.where(column, '=', value), update)
    .execute();
}

/** Deletes the rows that match. */
export async function deleteRows<Tables, Table extends keyof Tables & string>(
  db: Kysely<Tables>,
  table: Table,
  match: NoInfer<Match<Tables[Table]>>,
): Promise<void> {
  const [rows, name] = untyped(db, table);
  await conditionsOf(match)
    .reduce((query, [column, value]) => query.where(column, '=', value), rows.deleteFrom(name))
    .execute();
}
