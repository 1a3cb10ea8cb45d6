import { type SelectQueryBuilder, sql } from 'kysely';
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

/** How many rows a page holds. */
export function pageSize({ limit }: Pick<PageRequest, 'limit'>): number {
  return limit ?? defaultPageSize;
}

/** The cursor of a position in a list: the values, without spaces and in ASCII, by which the list is ordered. */
function encodeCursor(position: readonly string[]): string {
  return Buffer.from(position.join(' ')).toString('base64url');
}

/**
 * Reads a cursor that `encodeCursor` made, of a position such as the list has; anything else is the caller's mistake,
 * never a database error: throws 422 `VALIDATION.FAILED`.
 */
export function decodeCursor<Position extends readonly string[]>(
  cursor: string,
  isPosition: (values: readonly string[]) => values is Position,
): Position {
  const position: readonly string[] = Buffer.from(cursor, 'base64url').toString('latin1').split(' ');
  if (isPosition(position) && encodeCursor(position) === cursor) return position;
  throw validationError({ field: 'cursor', message: 'must be a next_cursor of this list, unchanged' });
}

function isTimeAndId(values: readonly string[]): values is readonly [time: string, id: string] {
  const [time = '', id = '', ...rest] = values;
  return rest.length === 0 && isUuid(id) && parseTimestamp(time) === time;
}

/**
 * Limits a query to one page, newest first, and to what follows the cursor. It asks for one row more than
 * the page holds, so that `toPage` knows whether there is another one.
 * In a joined query name the time column with its table (`licenses.created_at`): the id is taken from there too.
 * Throws 422 `VALIDATION.FAILED` for a cursor that no list made.
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

type PageRow<TimeColumn extends string> = { readonly id: string } & { readonly [column in TimeColumn]: string };

/** Makes the page of the rows that a query limited by `paginate` found. `limit` is the caller's own. */
export function toPage<Row extends PageRow<TimeColumn>, TimeColumn extends string = 'created_at'>(
  rows: readonly Row[],
  limit?: number,
  timeColumn: TimeColumn = 'created_at' as TimeColumn,
): Page<Row> {
  return pageOf(rows, limit, (row) => [row[timeColumn], row.id]);
}

/** Makes the page of rows of which one more was asked for than it holds. `positionOf` names what orders the list. */
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
