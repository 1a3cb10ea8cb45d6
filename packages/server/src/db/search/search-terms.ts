import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import type { Timestamp } from '../../lib/clock.ts';
import { searchWords } from '../../lib/search-text.ts';
import { rowsOf } from '../dialect.ts';
import { scopedTerm, type TermScope } from './index-terms.ts';
import type { Filter, ListFilterPlan } from './list-filter-plan.ts';

/** By what a row is found (terms.ts). */
interface SearchTermsTable {
  /** Its scope and the folded text: `license:smith`. */
  term: string;
  /** The owner's, so that an index has the owners of a term in the order of lists. */
  created_at: Timestamp;
  owner_id: string;
}

/** The table has the same shape in the platform database and in every tenant's. */
export interface WithSearchTerms {
  search_terms: SearchTermsTable;
}

/** A row that is found by its terms, and where it stands in its list. */
interface TermOwner {
  readonly id: string;
  readonly created_at: Timestamp;
}

/** Greater than every character that can follow a prefix. */
const afterEveryCharacter = '\u{10FFFF}';

/** Any database with search terms; through the tables of the other kind the statements are the same. */
function termsOf<Tables extends WithSearchTerms>(db: Kysely<Tables>): Kysely<WithSearchTerms> {
  return db as never;
}

/** Makes new rows findable, in the transaction that writes them. */
export async function addSearchTerms<Tables extends WithSearchTerms>(
  tx: Kysely<Tables>,
  owners: Iterable<readonly [TermOwner, Iterable<string>]>,
): Promise<void> {
  const rows = Array.from(owners, ([owner, terms]) =>
    Array.from(new Set(terms), (term) => [term, owner.created_at, owner.id]),
  ).flat();
  if (rows.length === 0) return;
  await sql`
    insert into search_terms (term, created_at, owner_id)
    select value ->> 0, value ->> 1, value ->> 2 from ${rowsOf(tx, rows)}`.execute(tx);
}

/**
 * Makes a changed row findable by `terms` and by nothing else; a deleted one has none. Call it in the transaction that
 * changes the row and holds its lock. What stays the same is not written.
 */
export async function replaceSearchTerms<Tables extends WithSearchTerms>(
  tx: Kysely<Tables>,
  owner: TermOwner,
  terms: Iterable<string>,
): Promise<void> {
  const db = termsOf(tx);
  const rows = await db.selectFrom('search_terms').select('term').where('owner_id', '=', owner.id).execute();
  const before = new Set(rows.map((row) => row.term));
  const after = new Set(terms);
  const gone = [...before.difference(after)];
  if (gone.length > 0) {
    await db.deleteFrom('search_terms').where('owner_id', '=', owner.id).where('term', 'in', gone).execute();
  }
  await addSearchTerms(tx, [[owner, after.difference(before)]]);
}

/** The rows of `table` with exactly this term. The index has them in the order of lists. */
export function termFilter<Tables extends WithSearchTerms>(db: Kysely<Tables>, table: string, term: string): Filter {
  return {
    condition: existsTerm(table, sql<SqlBool>`term = ${term}`),
    places: selectPlaces(db).where('term', '=', term),
  };
}

/** How many words are counted to find one that few rows have. */
const countedWordsMax = 3;

/**
 * The rows of `table` in which every word of `text` is the beginning of a term. Each word is a test of each row, so
 * callers limit the length of `text`.
 */
export function textFilters<Tables extends WithSearchTerms>(
  db: Kysely<Tables>,
  { table, scope, text }: { readonly table: string; readonly scope: TermScope; readonly text: string },
): Filter[] {
  return searchWords(text).map((word, index) => {
    const from = scopedTerm(scope, word);
    const to = from + afterEveryCharacter;
    const condition = existsTerm(table, sql<SqlBool>`term >= ${from} and term < ${to}`);
    if (index >= countedWordsMax) return { condition };
    const candidates: ListFilterPlan = (limit) =>
      selectPlaces(db).where('term', '>=', from).where('term', '<', to).orderBy('term').limit(limit);
    return { condition, candidates };
  });
}

function selectPlaces<Tables extends WithSearchTerms>(db: Kysely<Tables>) {
  return termsOf(db).selectFrom('search_terms').select(['search_terms.created_at', 'search_terms.owner_id as id']);
}

function existsTerm(table: string, condition: Expression<SqlBool>): Expression<SqlBool> {
  return sql<SqlBool>`exists (select 1 from search_terms where owner_id = ${sql.ref(`${table}.id`)} and ${condition})`;
}
