import { type Kysely, sql } from 'kysely';
import type { Timestamp } from '../lib/clock.ts';

interface Trim {
  readonly table: string;
  /** A moment, the first column of an index. */
  readonly column: string;
  readonly cutoff: Timestamp;
  readonly limit: number;
}

/**
 * Removes the oldest rows from before `cutoff`, about `limit` of them: rows of the same moment go together. Answers
 * whether there may be more.
 */
export async function trimOldest<Tables>(db: Kysely<Tables>, { table, column, cutoff, limit }: Trim): Promise<boolean> {
  const [from, moment] = [sql.table(table), sql.ref(column)];
  // Everything up to the last of them: given their ids instead, PostgreSQL may read the whole table to find them.
  const { rows } = await sql<{ moment: Timestamp }>`select ${moment} as moment from ${from} where ${moment} < ${cutoff}
    order by ${moment} limit 1 offset ${limit - 1}`.execute(db);
  const last = rows[0]?.moment;
  const upToLast = last === undefined ? sql`${moment} < ${cutoff}` : sql`${moment} <= ${last}`;
  await sql`delete from ${from} where ${upToLast}`.execute(db);
  return last !== undefined;
}
