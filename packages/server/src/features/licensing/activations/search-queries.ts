import { type Expression, expressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import { scopedTerm } from '../../../db/search/index-terms.ts';
import type { Filter } from '../../../db/search/list-filter-plan.ts';
import { afterEveryCharacter } from '../../../db/search/search-terms.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { storedFingerprint } from '../../../lib/fingerprint.ts';
import { searchWords } from '../../../lib/search-text.ts';

type Db = Kysely<TenantTables>;

/** If more licenses match, the list is read in its order, because matching activations are frequent in it. */
const licensesMax = 1_000;
/** Maximum words tried to find one that few licenses contain. */
const triedWordsMax = 3;

const eb = expressionBuilder<TenantTables, 'activations'>();

/**
 * Returns a filter for the activations whose fingerprint begins with `text`, or whose license
 * matches every word of `text`. Reads the ids of these licenses.
 */
export async function searchFilter(db: Db, text: string): Promise<Filter> {
  const words = searchWords(text);
  const ids = await findFewLicenses(db, words);
  const beginning = storedFingerprint(text);
  const until = beginning + afterEveryCharacter;
  // `not` keeps SQLite from collecting the activations from the index: the condition is for a list read in its order.
  const isNamed = eb.and([
    eb.not(eb('activations.fingerprint', '<', beginning)),
    eb.not(eb('activations.fingerprint', '>=', until)),
  ]);
  if (ids === undefined) {
    const isOfLicense = eb.and(words.map((word) => hasTerm('activations.license_id', word)));
    return { condition: eb.or([isNamed, isOfLicense]) };
  }
  const named = selectPlaces(db)
    .where('activations.fingerprint', '>=', beginning)
    .where('activations.fingerprint', '<', until)
    .orderBy('activations.fingerprint');
  if (ids.length === 0) return { condition: isNamed, candidates: (limit) => named.limit(limit) };
  const ofLicenses = selectPlaces(db).where('activations.license_id', 'in', ids).orderBy('activations.license_id');
  return {
    condition: eb.or([isNamed, eb('activations.license_id', 'in', ids)]),
    candidates: (limit) =>
      db
        .selectFrom(named.limit(limit).as('named'))
        .selectAll()
        .unionAll(db.selectFrom(ofLicenses.limit(limit).as('of_licenses')).selectAll())
        .limit(limit),
  };
}

/** Returns the ids of the licenses that have every word; undefined if each of the first words has too many. */
async function findFewLicenses(db: Db, words: readonly string[]): Promise<string[] | undefined> {
  for (const word of words.slice(0, triedWordsMax)) {
    const found = db
      .selectFrom('search_terms')
      .select('search_terms.owner_id')
      .where(termRange('search_terms.term', word))
      .orderBy('search_terms.term')
      .limit(licensesMax + 1);
    const owners = await found.execute();
    if (owners.length > licensesMax) continue;
    const others = words.filter((other) => other !== word);
    if (owners.length === 0 || others.length === 0) return owners.map(({ owner_id }) => owner_id);
    const having = db
      .selectFrom(found.as('found'))
      .select('found.owner_id')
      .where(eb.and(others.map((other) => hasTerm('found.owner_id', other))));
    return (await having.execute()).map(({ owner_id }) => owner_id);
  }
  return undefined;
}

function selectPlaces(db: Db) {
  return db.selectFrom('activations').select(['activations.created_at', 'activations.id']);
}

/** With a limit, PostgreSQL reads the terms of one license. Without it, it reads those of all licenses into a table. */
function hasTerm(owner: string, word: string): Expression<SqlBool> {
  const range = termRange('term', word);
  return sql<SqlBool>`(select 1 from search_terms where owner_id = ${sql.ref(owner)} and ${range} limit 1) is not null`;
}

function termRange(column: string, word: string): Expression<SqlBool> {
  const from = scopedTerm('license', word);
  const term = sql.ref(column);
  return sql<SqlBool>`(${term} >= ${from} and ${term} < ${from + afterEveryCharacter})`;
}
