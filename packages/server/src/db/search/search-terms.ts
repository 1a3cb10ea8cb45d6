import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import type { Timestamp } from '../../lib/clock.ts';
import { searchWords } from '../../lib/search-text.ts';
import { rowsOf, textAt } from '../dialect.ts';
import type { WithSearchTerms } from '../tables/shared-tables.ts';
import { scopedTerm, type TermScope } from './index-terms.ts';
import type { CandidateQuery, Filter } from './list-filter-plan.ts';

/** A row that is found by its terms. `created_at` and `id` are its position in its list. */
interface TermOwner {
  readonly id: string;
  readonly created_at: Timestamp;
}

/** Greater than every character that can follow a prefix. */
export const afterEveryCharacter = '\u{10FFFF}';

/** Narrows any database that has `search_terms` to that table. */
function termsOf<Tables extends WithSearchTerms>(db: Kysely<Tables>): Kysely<WithSearchTerms> {
  return db as never;
}

/** Inserts the terms of new rows. Call it in the transaction that writes the rows. */
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
    select ${textAt(0)}, ${textAt(1)}, ${textAt(2)} from ${rowsOf(tx, rows)}`.execute(tx);
}

/**
 * Replaces the terms of a changed row; pass no terms for a deleted row. Call it in the transaction that changes the row
 * and holds its lock. Terms that the row already has are not written again.
 */
export async function replaceSearchTerms<Tables extends WithSearchTerms>(
  tx: Kysely<Tables>,
  owner: TermOwner,
  terms: Iterable<string>,
): Promise<void> {
  const db = termsOf(tx);
  const rows = await db.selectFrom('search_terms').select('term').where('owner_id', '=', owner.id).execute();
  const present = new Set(rows.map((row) => row.term));
  const wanted = new Set(terms);
  const obsolete = [...present.difference(wanted)];
  if (obsolete.length > 0) {
    await db.deleteFrom('search_terms').where('owner_id', '=', owner.id).where('term', 'in', obsolete).execute();
  }
  await addSearchTerms(tx, [[owner, wanted.difference(present)]]);
}

/** Replaces the terms of several changed rows in two statements, as `replaceSearchTerms` does for one. */
export async function replaceAllSearchTerms<Tables extends WithSearchTerms>(
  tx: Kysely<Tables>,
  owners: readonly (readonly [TermOwner, Iterable<string>])[],
): Promise<void> {
  const ids = owners.map(([{ id }]) => id);
  await termsOf(tx).deleteFrom('search_terms').where('owner_id', 'in', ids).execute();
  await addSearchTerms(tx, owners);
}

/**
 * Returns a filter for the rows of `table` that have exactly this term. The index returns them in the order of lists.
 */
export function termFilter<Tables extends WithSearchTerms>(db: Kysely<Tables>, table: string, term: string): Filter {
  return {
    condition: existsTerm(table, sql<SqlBool>`term = ${term}`),
    inListOrder: selectPositions(db).where('term', '=', term),
  };
}

/** At most this many words of a search text are counted to find one that few rows have. */
const countedWordsMax = 3;

/** What a text search looks for, and where. */
interface TextSearch {
  readonly table: string;
  readonly scope: TermScope;
  readonly text: string;
  /** Returns another term of which a word may be the prefix, or undefined. */
  readonly otherTerm?: (word: string) => string | undefined;
}

/**
 * Filters for the rows of `table` for which every word of `text` is the prefix of a term. The database may test each
 * word on each row, so callers must limit the length of `text`.
 */
export function textFilters<Tables extends WithSearchTerms>(
  db: Kysely<Tables>,
  { table, scope, text, otherTerm }: TextSearch,
): Filter[] {
  return searchWords(text).map((word, index) => {
    const other = otherTerm?.(word);
    const prefixes = [scopedTerm(scope, word), ...(other === undefined ? [] : [other])];
    const ranges = prefixes.map((from) => sql<SqlBool>`term >= ${from} and term < ${from + afterEveryCharacter}`);
    const condition = existsTerm(table, sql<SqlBool>`(${sql.join(ranges, sql` or `)})`);
    return index >= countedWordsMax ? { condition } : { condition, candidates: prefixCandidates(db, prefixes) };
  });
}

/** Returns the positions of the rows that have a term with one of the prefixes. A row can be among them twice. */
function prefixCandidates<Tables extends WithSearchTerms>(
  db: Kysely<Tables>,
  [first = '', ...others]: readonly string[],
): CandidateQuery {
  const withPrefix = (from: string) =>
    selectPositions(db)
      .where('term', '>=', from)
      .where('term', '<', from + afterEveryCharacter)
      .orderBy('term');
  if (others.length === 0) return (limit) => withPrefix(first).limit(limit);
  const limited = (from: string, limit: number) =>
    termsOf(db).selectFrom(withPrefix(from).limit(limit).as('found')).selectAll();
  return (limit) =>
    others.reduce((query, from) => query.unionAll(limited(from, limit)), limited(first, limit)).limit(limit);
}

function selectPositions<Tables extends WithSearchTerms>(db: Kysely<Tables>) {
  return termsOf(db).selectFrom('search_terms').select(['search_terms.created_at', 'search_terms.owner_id as id']);
}

function existsTerm(table: string, condition: Expression<SqlBool>): Expression<SqlBool> {
  return sql<SqlBool>`exists (select 1 from search_terms where owner_id = ${sql.ref(`${table}.id`)} and ${condition})`;
}
