import { ColumnNode, type CompiledQuery, type OperationNode, TableNode, type UpdateQueryNode } from 'kysely';

/** Which changes discard cached values. A statement that is not described here discards all of them. */
export interface WatchedChanges<Tables = Readonly<Record<string, unknown>>> {
  /** Tables on which no cached value depends, which change many times per second. */
  readonly unwatchedTables: readonly (keyof Tables & string)[];
  /** Updates that set only this column of a table discard nothing. */
  readonly unwatchedColumns: readonly `${keyof Tables & string}.${string}`[];
  /** Tables whose changes discard only the values of one license, and their column with its id. */
  readonly licenseColumns?: { readonly [Table in keyof Tables & string]?: string };
}

/** What a statement discards: nothing, the values of the licenses whose rows it changes, or all values. */
export type Discarded = 'nothing' | 'licenses' | 'everything';

function tableOf(node: OperationNode | undefined): string | undefined {
  return node !== undefined && TableNode.is(node) ? node.table.identifier.name : undefined;
}

/** Returns the table that an insert, an update or a deletion changes; undefined for other statements. */
function changedTable(query: CompiledQuery['query']): string | undefined {
  // The tables of a `WITH` clause are not known here.
  if ('with' in query && query.with !== undefined) return undefined;
  if (query.kind === 'InsertQueryNode') return tableOf(query.into);
  if (query.kind === 'DeleteQueryNode') return query.from.froms.length === 1 ? tableOf(query.from.froms[0]) : undefined;
  return query.kind === 'UpdateQueryNode' ? tableOf(query.table) : undefined;
}

/** Returns the only column that an update sets; undefined if it sets several. */
function onlyColumn({ updates = [] }: UpdateQueryNode): string | undefined {
  const [update, ...others] = updates;
  if (update === undefined || others.length > 0 || !ColumnNode.is(update.column)) return undefined;
  return update.column.column.name;
}

/** Returns what a statement discards. Raw SQL and a statement with a `WITH` clause discard everything. */
export function discardedBy({ query }: CompiledQuery, watched: WatchedChanges): Discarded {
  const table = changedTable(query);
  if (table === undefined) return 'everything';
  if (watched.unwatchedTables.includes(table)) return 'nothing';
  const column = query.kind === 'UpdateQueryNode' ? onlyColumn(query) : undefined;
  if (column !== undefined && watched.unwatchedColumns.includes(`${table}.${column}`)) return 'nothing';
  return watched.licenseColumns?.[table] === undefined ? 'everything' : 'licenses';
}

/** Throws if a read depends on changes that discard nothing: its cached row would become stale. */
export function assertWatched(
  sql: string,
  { unwatchedTables, unwatchedColumns }: Pick<WatchedChanges, 'unwatchedTables' | 'unwatchedColumns'>,
): void {
  const everyColumn = unwatchedColumns.map((column) => `${column.split('.', 1)[0]}.*`);
  const names = [...unwatchedTables, ...unwatchedColumns, ...everyColumn];
  const unwatched = names.find((name) => sql.includes(name.replace(/[^.*]+/g, '"$&"')));
  if (unwatched === undefined) return;
  throw new Error(`A kept row would not follow changes of ${unwatched}: remove it from the read or watch its changes.`);
}
