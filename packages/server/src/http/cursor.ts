import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { validationError } from '../lib/error.ts';
import { isUuid } from '../lib/ids.ts';
import type { Page } from './envelope.ts';
import { parseTimestamp } from './timestamp.ts';

/** The query parameters of every list; `limit` is 25 when absent. */
export interface PageRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const defaultPageSize = 25;

/** Returns the number of rows per page. */
export function pageSize({ limit }: Pick<PageRequest, 'limit'>): number {
  return limit ?? defaultPageSize;
}

/** Encodes a position in a list: the values that order the list, which must be ASCII without spaces. */
export function encodeCursor(position: readonly string[]): string {
  return Buffer.from(position.join(' ')).toString('base64url');
}

/**
 * Decodes a cursor of `encodeCursor` whose position satisfies `isPosition`. Throws 422 `VALIDATION.FAILED` for any
 * other text, so that an invalid cursor never reaches the database.
 */
export function decodeCursor<Position extends readonly string[]>(
  cursor: string,
  isPosition: (values: readonly string[]) => values is Position,
): Position {
  const position: readonly string[] = Buffer.from(cursor, 'base64url').toString('latin1').split(' ');
  if (isPosition(position) && encodeCursor(position) === cursor) return position;
  throw validationError({ field: 'cursor', message: 'Send a next_cursor of this list, unchanged.' });
}

function isTimeAndId(values: readonly string[]): values is readonly [time: string, id: string] {
  const [time = '', id = '', ...rest] = values;
  return rest.length === 0 && isUuid(id) && parseTimestamp(time) === time;
}

/**
 * Orders a query newest first and limits it to the page after the cursor, plus one row that tells `toPage` whether
 * another page follows. In a joined query, qualify the time column with its table (`licenses.created_at`); the id is
 * taken from the same table. Throws 422 `VALIDATION.FAILED` for an invalid cursor.
 */
export function paginate<Tables, Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  page: PageRequest,
  timeColumn = 'created_at',
): SelectQueryBuilder<Tables, Table, Row> {
  const time = sql.ref(timeColumn);
  const id = sql.ref(timeColumn.includes('.') ? timeColumn.replace(/[^.]+$/, 'id') : 'id');
  const ordered = query
    .orderBy(time, 'desc')
    .orderBy(id, 'desc')
    .limit(pageSize(page) + 1);
  if (page.cursor === undefined) return ordered;
  const [afterTime, afterId] = decodeCursor(page.cursor, isTimeAndId);
  return ordered.where(sql<boolean>`(${time}, ${id}) < (${afterTime}, ${afterId})`);
}

/** An order of a list other than newest first: by a value, which must be ASCII without spaces, and then by the id. */
export interface ListOrder<Row> {
  /** Part of the cursor, so that a cursor of another order is refused. */
  readonly name: string;
  readonly by: RawBuilder<string>;
  /** The column of the id, with its table. */
  readonly id: string;
  readonly direction: 'asc' | 'desc';
  readonly positionOf: (row: Row) => readonly string[];
}

type OrderColumns = Pick<ListOrder<never>, 'name' | 'by' | 'id' | 'direction'>;

/** Sorts a query by an order. */
export function sortBy<Tables, Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  { by, id, direction }: OrderColumns,
): SelectQueryBuilder<Tables, Table, Row> {
  return query.orderBy(by, direction).orderBy(sql.ref(id), direction);
}

/** Does what `paginate` does, for another order. The caller builds the page with `pageOf` and `positionOf`. */
export function paginateBy<Tables, Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  page: PageRequest,
  order: OrderColumns,
): SelectQueryBuilder<Tables, Table, Row> {
  const ordered = sortBy(query, order).limit(pageSize(page) + 1);
  if (page.cursor === undefined) return ordered;
  const [, value, afterId] = decodeCursor(page.cursor, isPositionOf(order.name));
  const { by, id } = order;
  const [from, after] = order.direction === 'asc' ? [sql`>=`, sql`>`] : [sql`<=`, sql`<`];
  // SQLite uses an index of an expression for the first comparison, but not for the comparison of rows.
  const start = sql<boolean>`${by} ${from} ${value} and (${by}, ${sql.ref(id)}) ${after} (${value}, ${afterId})`;
  return ordered.where(start);
}

function isPositionOf(name: string) {
  return (values: readonly string[]): values is readonly [name: string, value: string, id: string] =>
    values[0] === name && isTimeAndId(values.slice(1));
}

type PageRow<TimeColumn extends string> = { readonly id: string } & { readonly [column in TimeColumn]: string };

/** Builds the page from the rows of a query that `paginate` limited. `limit` is the value of the request. */
export function toPage<Row extends PageRow<TimeColumn>, TimeColumn extends string = 'created_at'>(
  rows: readonly Row[],
  limit?: number,
  timeColumn: TimeColumn = 'created_at' as TimeColumn,
): Page<Row> {
  return pageOf(rows, limit, (row) => [row[timeColumn], row.id]);
}

/**
 * Builds a page from rows that include one more than the page size. `positionOf` returns the values that order the
 * list.
 */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number | undefined,
  positionOf: (row: Row) => readonly string[],
): Page<Row> {
  const size = pageSize({ limit });
  const pageRows = rows.slice(0, size);
  const last = pageRows.at(-1);
  const hasMore = rows.length > size && last !== undefined;
  return { rows: pageRows, nextCursor: hasMore ? encodeCursor(positionOf(last)) : null };
}
