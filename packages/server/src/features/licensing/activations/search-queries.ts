import { type Expression, expressionBuilder, type Kysely, type NotNull, type SqlBool, sql } from 'kysely';
import { scopedTerm } from '../../../db/search/index-terms.ts';
import type { Filter } from '../../../db/search/list-filter-plan.ts';
import { afterEveryCharacter } from '../../../db/search/search-terms.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { searchWords } from '../../../lib/search-text.ts';

const eb = expressionBuilder<TenantTables, 'activations'>();

/**
 * Returns a filter for the activations whose fingerprint begins with `text`, or whose license every word of `text`
 * finds.
 */
export function searchFilter(db: Kysely<TenantTables>, text: string): Filter {
  const words = searchWords(text);
  const isNamed = eb.and([
    eb('activations.fingerprint', '>=', text),
    eb('activations.fingerprint', '<', text + afterEveryCharacter),
  ]);
  const isOfLicense = eb.and(words.map((word) => hasTerm('activations.license_id', word)));
  return {
    condition: eb.or([isNamed, isOfLicense]),
    candidates: (limit) =>
      db
        .selectFrom(selectNamed(db, isNamed, limit).as('named'))
        .selectAll()
        .unionAll(db.selectFrom(selectOfLicenses(db, words, limit).as('of_licenses')).selectAll())
        .limit(limit),
  };
}

function selectNamed(db: Kysely<TenantTables>, isNamed: Expression<SqlBool>, limit: number) {
  return db
    .selectFrom('activations')
    .select(['activations.created_at', 'activations.id'])
    .where(isNamed)
    .orderBy('activations.fingerprint')
    .limit(limit);
}

/**
 * A license without activations is counted too, as a row of nulls, which is the position of no activation: finding the
 * license takes as long as finding another.
 */
function selectOfLicenses(db: Kysely<TenantTables>, [first = '', ...others]: readonly string[], limit: number) {
  const licenses = db
    .selectFrom('search_terms')
    .select('search_terms.owner_id')
    .where(termRange('search_terms.term', first))
    .orderBy('search_terms.term')
    .limit(limit);
  return db
    .selectFrom(licenses.as('found'))
    .leftJoin('activations', 'activations.license_id', 'found.owner_id')
    .select(['activations.created_at', 'activations.id'])
    .$narrowType<{ created_at: NotNull; id: NotNull }>()
    .where(eb.and(others.map((word) => hasTerm('found.owner_id', word))))
    .limit(limit);
}

function hasTerm(owner: string, word: string): Expression<SqlBool> {
  const range = termRange('term', word);
  return sql<SqlBool>`exists (select 1 from search_terms where owner_id = ${sql.ref(owner)} and ${range})`;
}

function termRange(column: string, word: string): Expression<SqlBool> {
  const from = scopedTerm('license', word);
  const term = sql.ref(column);
  return sql<SqlBool>`(${term} >= ${from} and ${term} < ${from + afterEveryCharacter})`;
}
