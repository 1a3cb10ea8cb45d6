import { type Kysely, sql } from 'kysely';
import type { Timestamp } from '../lib/clock.ts';

interface Trim {
  readonly table: string;
  /** A column of timestamps, which must be the first column of an index. */
  readonly column: string;
  readonly cutoff: Timestamp;
  readonly limit: number;
}

/**
 * Deletes the oldest rows before `cutoff`: `limit` rows, and all rows with the same timestamp as the last of them.
 * Returns true if more rows may remain.
 */
export async function trimOldest<Tables>(db: Kysely<Tables>, { table, column, cutoff, limit }: Trim): Promise<boolean> {
  const [from, moment] = [sql.table(table), sql.ref(column)];
  // Deletes by a range of timestamps. For a list of ids PostgreSQL may read the whole table.
  const { rows } = await sql<{ moment: Timestamp }>`select ${moment} as moment from ${from} where ${moment} < ${cutoff}
    order by ${moment} limit 1 offset ${limit - 1}`.execute(db);
  const last = rows[0]?.moment;
  const upToLast = last === undefined ? sql`${moment} < ${cutoff}` : sql`${moment} <= ${last}`;
  await sql`delete from ${from} where ${upToLast}`.execute(db);
  return last !== undefined;
}
