import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from './dialect.ts';

/**
 * What an audit code begins with, its dot included: `TENANT.` of `TENANT.SUSPENDED`. An index has the same words
 * (platform migration 0014), and answers only a query that has them too: never change them.
 */
export function eventGroup<Tables>(db: Kysely<Tables>, column: string): RawBuilder<string> {
  const code = sql.ref(column);
  return isPostgres(db)
    ? sql<string>`(split_part(${code}, '.', 1) || '.')`
    : sql<string>`substr(${code}, 1, instr(${code}, '.'))`;
}
