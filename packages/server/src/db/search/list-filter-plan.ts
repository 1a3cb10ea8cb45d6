import {
  type AliasableExpression,
  type Expression,
  type Kysely,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import type { Timestamp } from '../../lib/clock.ts';

// How a filtered list finds its rows. An index that begins with the filtered column and continues in the order of the
// list returns them directly. Where the filter is a range (a prefix, a moment), no index has both orders, and two ways
// remain: collect the rows in the range and sort them, which costs by the number of matches, or read the list in its
// order and test each row, which is cheap when many rows match. So the rows in a range are counted first, up to a
// limit.

/** A row's position in a list, which is ordered by creation time and id, newest first. */
export interface ListPosition {
  readonly created_at: Timestamp;
  readonly id: string;
}

/**
 * Builds a subquery of an index search: the positions of at most `limit` rows that a filter matches. Order it by the
 * range's own column: with a limit alone PostgreSQL reads a table from its beginning if it expects to find enough rows.
 */
export type CandidateQuery = (limit: number) => AliasableExpression<ListPosition>;

/** A subquery of positions in the order of a list, as an index returns them. */
type OrderedPositions = AliasableExpression<ListPosition>;

/**
 * At most this many candidates are collected. Collecting 22,000 takes 84 ms. If more than 5,000 of a million rows
 * match, a scan in the order of the list finds a page of 26 after some 5,000 rows.
 */
const fewMax = 5_000;

/** Means "no limit". A subquery with a limit is planned by its own conditions, not by the order of the outer query. */
export const noLimit = 2_147_483_647;

/** Removes the table types: candidates are subqueries, which name their own tables. */
function anyTables<Tables>(db: Kysely<Tables>): Kysely<Record<string, ListPosition>> {
  return db as never;
}

/** One filter of a list over one table. */
export interface Filter {
  /** The condition on a row of the table. */
  readonly condition: Expression<SqlBool>;
  /** Exactly the rows that satisfy the condition, in the order of the list, from an index. */
  readonly inListOrder?: OrderedPositions;
  /** Exactly the rows that satisfy the condition, in any order. They are collected and sorted if they are few. */
  readonly candidates?: CandidateQuery;
}

/** A query for rows of a table before any column is selected. */
export type Rows<Tables, Table extends keyof Tables> = SelectQueryBuilder<Tables, Table, Record<never, never>>;

/** How a list reads the rows that match all of its filters. */
export interface ListFilterPlan<Tables, Table extends keyof Tables> {
  readonly query: Rows<Tables, Table>;
  /** The column by which `paginate` must order. */
  readonly timeColumn: string;
  /** True if candidates are collected and sorted: then select only ids before the page is cut. */
  readonly isGathered: boolean;
}

/**
 * Plans a query for the rows of a table that match every filter. Counts candidates first, so it sends up to one query
 * per filter that has them. The first filter with few candidates is collected; else the first one in list order is
 * read.
 */
export async function planListFilters<Tables, Table extends keyof Tables & string>(
  db: Kysely<Tables>,
  table: Table,
  filters: readonly Filter[],
): Promise<ListFilterPlan<Tables, Table>> {
  const few = await firstWithFew(db, filters);
  const start = few ?? filters.find((filter) => filter.inListOrder !== undefined);
  const positions = few?.candidates === undefined ? start?.inListOrder : gathered(db, few.candidates);
  const rows = positions === undefined ? selectAll(db, table) : selectFound(db, table, positions);
  const conditions = filters.filter((filter) => filter !== start).map((filter) => filter.condition);
  const query = conditions.length === 0 ? rows : rows.where(() => sql.join<SqlBool>(conditions, sql` and `));
  const timeColumn = positions === undefined ? `${table}.created_at` : 'found.created_at';
  return { query, timeColumn, isGathered: few !== undefined };
}

/** How a list in another order than newest first reads the rows that match all of its filters. */
export interface OrderedFilterPlan {
  /** Contains every match; undefined: the list is read in its order. */
  readonly few: OrderedPositions | undefined;
  /** The conditions that the rows have to be tested for. */
  readonly conditions: readonly Expression<SqlBool>[];
}

/** Plans a list in another order than newest first. Counts candidates like `planListFilters`. */
export async function planOrderedFilters<Tables>(
  db: Kysely<Tables>,
  filters: readonly Filter[],
): Promise<OrderedFilterPlan> {
  const few = await firstWithFew(db, filters);
  const conditions = filters.filter((filter) => filter !== few).map((filter) => filter.condition);
  return { few: few?.candidates && gathered(db, few.candidates), conditions };
}

async function firstWithFew<Tables>(db: Kysely<Tables>, filters: readonly Filter[]): Promise<Filter | undefined> {
  for (const filter of filters) {
    if (filter.candidates !== undefined && (await areFew(db, filter.candidates))) return filter;
  }
  return undefined;
}

async function areFew<Tables>(db: Kysely<Tables>, candidates: CandidateQuery): Promise<boolean> {
  const { count } = await anyTables(db)
    .selectFrom(candidates(fewMax + 1).as('candidate'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count <= fewMax;
}

/** Returns the candidates without duplicates, in the order of a list. */
function gathered<Tables>(db: Kysely<Tables>, candidates: CandidateQuery): OrderedPositions {
  return anyTables(db)
    .selectFrom(candidates(noLimit).as('candidate'))
    .select(['candidate.created_at', 'candidate.id'])
    .distinct()
    .orderBy('candidate.created_at', 'desc')
    .orderBy('candidate.id', 'desc');
}

function selectAll<Tables, Table extends keyof Tables & string>(db: Kysely<Tables>, table: Table): Rows<Tables, Table> {
  return anyTables(db).selectFrom(table) as unknown as Rows<Tables, Table>;
}

/**
 * Selects the rows of a table at these positions. SQLite reads the tables of a cross join in the order in which they
 * are written (https://sqlite.org/optoverview.html#manctrl), so it begins with the positions whatever number it
 * estimates. PostgreSQL plans it like any other join.
 */
function selectFound<Tables, Table extends keyof Tables & string>(
  db: Kysely<Tables>,
  table: Table,
  positions: OrderedPositions,
): Rows<Tables, Table> {
  const query = anyTables(db).selectFrom(positions.as('found')).crossJoin(table) as unknown as Rows<Tables, Table>;
  return query.where(() => sql<SqlBool>`${sql.ref(`${table}.id`)} = ${sql.ref('found.id')}`);
}
