import { ColumnNode, type CompiledQuery, type OperationNode, TableNode, type UpdateQueryNode } from 'kysely';

/**
 * Changes that do not change the mark of a database, because no cached value depends on them. Otherwise they would
 * discard all cached values many times per second.
 */
export interface UnwatchedChanges<Tables = Readonly<Record<string, unknown>>> {
  /** Tables on which no cached value depends. */
  readonly tables: readonly (keyof Tables & string)[];
  /** Updates that set only this column of a table. */
  readonly columns: readonly `${keyof Tables & string}.${string}`[];
}

function tableOf(node: OperationNode | undefined): string | undefined {
  return node !== undefined && TableNode.is(node) ? node.table.identifier.name : undefined;
}

/** Returns the only column that an update sets; undefined if it sets several. */
function onlyColumn({ updates = [] }: UpdateQueryNode): string | undefined {
  const [update, ...others] = updates;
  if (update === undefined || others.length > 0 || !ColumnNode.is(update.column)) return undefined;
  return update.column.column.name;
}

/**
 * Returns true if a statement changes only what `unwatched` lists. False for raw SQL and for statements with a `WITH`
 * clause, whose tables are not known here.
 */
export function isUnwatched({ query }: CompiledQuery, unwatched: UnwatchedChanges): boolean {
  const isListed = (table: string | undefined) => table !== undefined && unwatched.tables.includes(table);
  if ('with' in query && query.with !== undefined) return false;
  if (query.kind === 'InsertQueryNode') return isListed(tableOf(query.into));
  if (query.kind === 'DeleteQueryNode') return query.from.froms.length === 1 && isListed(tableOf(query.from.froms[0]));
  if (query.kind !== 'UpdateQueryNode') return false;
  const table = tableOf(query.table);
  if (isListed(table)) return true;
  const column = onlyColumn(query);
  return table !== undefined && column !== undefined && unwatched.columns.includes(`${table}.${column}`);
}

/** Throws if a read depends on changes that `unwatched` lists: its cached row would become stale. */
export function assertWatched(sql: string, { tables, columns }: UnwatchedChanges): void {
  const everyColumn = columns.map((column) => `${column.split('.', 1)[0]}.*`);
  const names = [...tables, ...columns, ...everyColumn];
  const unwatched = names.find((name) => sql.includes(name.replace(/[^.*]+/g, '"$&"')));
  if (unwatched === undefined) return;
  throw new Error(`A kept row would not follow changes of ${unwatched}: remove it from the read or watch its changes.`);
}
