import {
  type AliasableExpression,
  type Expression,
  type Kysely,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import type { Timestamp } from '../../lib/clock.ts';

/**
 * How a list finds what a filter lets through. An index that begins with the filtered column and goes on in the order
 * of the list answers by itself. Where the filter is a range (a prefix, a moment), no index has both, and two ways
 * are left: gather what is in the range and sort it, which costs by the number of matches, or walk the list in its
 * order and test each row, which is cheap when many match. So a range is counted first, up to a limit.
 */

/** A row's place in a list. */
export interface Place {
  readonly created_at: Timestamp;
  readonly id: string;
}

/**
 * A search in an index: the places of at most `limit` of the rows that a filter lets through. Order by the range's own
 * column: with a limit alone PostgreSQL reads a table from its beginning where it expects to meet enough of them.
 */
export type ListFilterPlan = (limit: number) => AliasableExpression<Place>;

/** Rows in the order of a list, as an index has them. */
type OrderedPlaces = AliasableExpression<Place>;

/** Gathering 22,000 takes 84 ms. Of a million rows 5,000 are enough for a walk to meet 26 after some 5,000 steps. */
const fewMax = 5_000;

/** The limit that is none. A subquery with a limit is planned by its own conditions, not by the order around it. */
const noLimit = 2_147_483_647;

/** Any tables: candidates are subqueries, which name their own. */
function anyTables<Tables>(db: Kysely<Tables>): Kysely<Record<string, Place>> {
  return db as never;
}

/** One filter of a list over one table. */
export interface Filter {
  /** What it asks of a row. */
  readonly condition: Expression<SqlBool>;
  /** The rows that it lets through and no others, in the order of the list. */
  readonly places?: OrderedPlaces;
  /** The rows that it lets through and no others, to be gathered where they are few. */
  readonly candidates?: ListFilterPlan;
}

/** Rows of a table, before anything of them is selected. */
export type Rows<Tables, Table extends keyof Tables> = SelectQueryBuilder<Tables, Table, Record<never, never>>;

/** The rows that filters let through. */
export interface Filtered<Tables, Table extends keyof Tables> {
  readonly query: Rows<Tables, Table>;
  /** What `paginate` orders by. */
  readonly timeColumn: string;
  /** True where the rows are found first and sorted then: select no more than ids before the page is cut. */
  readonly isGathered: boolean;
}

/** The rows of a table that every filter lets through. */
export async function filterRows<Tables, Table extends keyof Tables & string>(
  db: Kysely<Tables>,
  table: Table,
  filters: readonly Filter[],
): Promise<Filtered<Tables, Table>> {
  const few = await firstWithFew(db, filters);
  const start = few ?? filters.find((filter) => filter.places !== undefined);
  const places = few?.candidates === undefined ? start?.places : gathered(db, few.candidates);
  const rows = places === undefined ? selectAll(db, table) : selectFound(db, table, places);
  const conditions = filters.filter((filter) => filter !== start).map((filter) => filter.condition);
  const query = conditions.length === 0 ? rows : rows.where(() => sql.join<SqlBool>(conditions, sql` and `));
  const timeColumn = places === undefined ? `${table}.created_at` : 'found.created_at';
  return { query, timeColumn, isGathered: few !== undefined };
}

async function firstWithFew<Tables>(db: Kysely<Tables>, filters: readonly Filter[]): Promise<Filter | undefined> {
  for (const filter of filters) {
    if (filter.candidates !== undefined && (await areFew(db, filter.candidates))) return filter;
  }
  return undefined;
}

async function areFew<Tables>(db: Kysely<Tables>, candidates: ListFilterPlan): Promise<boolean> {
  const { count } = await anyTables(db)
    .selectFrom(candidates(fewMax + 1).as('candidate'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count <= fewMax;
}

/** ListFilterPlan, each once and sorted for a list. */
function gathered<Tables>(db: Kysely<Tables>, candidates: ListFilterPlan): OrderedPlaces {
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
 * The rows of a table that stand at these places. SQLite takes the tables of a cross join in the order in which they
 * are written, so that it begins with the places whatever it guesses of their number. To PostgreSQL it is a join like
 * any other.
 */
function selectFound<Tables, Table extends keyof Tables & string>(
  db: Kysely<Tables>,
  table: Table,
  places: OrderedPlaces,
): Rows<Tables, Table> {
  const query = anyTables(db).selectFrom(places.as('found')).crossJoin(table) as unknown as Rows<Tables, Table>;
  return query.where(() => sql<SqlBool>`${sql.ref(`${table}.id`)} = ${sql.ref('found.id')}`);
}
