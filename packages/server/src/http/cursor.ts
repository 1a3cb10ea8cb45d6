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

interface Position {
  readonly time: string;
  readonly id: string;
}

function encodeCursor(position: Position): string {
  return Buffer.from(`${position.time} ${position.id}`).toString('base64url');
}

/** Reads a cursor that `encodeCursor` made; anything else is the caller's mistake, never a database error. */
function decodeCursor(cursor: string): Position {
  const [time = '', id = '', ...rest] = Buffer.from(cursor, 'base64url').toString('latin1').split(' ');
  const position = { time, id };
  const valid = rest.length === 0 && isUuid(id) && parseTimestamp(time) === time && encodeCursor(position) === cursor;
  if (!valid) throw validationError({ field: 'cursor', message: 'must be a next_cursor of this list, unchanged' });
  return position;
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
    .limit((page.limit ?? defaultPageSize) + 1);
  if (page.cursor === undefined) return ordered;
  const after = decodeCursor(page.cursor);
  return ordered.where(sql<boolean>`(${time}, ${id}) < (${after.time}, ${after.id})`);
}

type PageRow<TimeColumn extends string> = { readonly id: string } & { readonly [column in TimeColumn]: string };

/** Makes the page of the rows that a query limited by `paginate` found. `limit` is the caller's own. */
export function toPage<Row extends PageRow<TimeColumn>, TimeColumn extends string = 'created_at'>(
  rows: readonly Row[],
  limit: number = defaultPageSize,
  timeColumn: TimeColumn = 'created_at' as TimeColumn,
): Page<Row> {
  const pageRows = rows.slice(0, limit);
  const last = pageRows.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { rows: pageRows, nextCursor: hasMore ? encodeCursor({ time: last[timeColumn], id: last.id }) : null };
}
