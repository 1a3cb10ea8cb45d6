import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from './dialect.ts';

/**
 * Returns SQL for the prefix of an audit code, up to and including the first dot: `TENANT.` of `TENANT.SUSPENDED`. The
 * index `audit_logs_event_group` contains exactly this expression, and a query uses it only with the same text: never
 * change it.
 */
export function eventGroup<Tables>(db: Kysely<Tables>, column: string): RawBuilder<string> {
  const code = sql.ref(column);
  return isPostgres(db)
    ? sql<string>`(split_part(${code}, '.', 1) || '.')`
    : sql<string>`substr(${code}, 1, instr(${code}, '.'))`;
}
