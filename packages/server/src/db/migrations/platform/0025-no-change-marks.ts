import { type Kysely, sql } from 'kysely';
import { toTimestamp } from '../../../lib/clock.ts';
import { isPostgres } from '../../dialect.ts';

/**
 * Refuses to continue on PostgreSQL while a node of an earlier version serves. Such a node gives kept verdicts again
 * until a change mark tells it of a change, and tenants' databases have none from now on. It does not check the schema
 * of what it has open. A later start of it is refused, because it does not know this migration.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  if (!isPostgres(db)) return;
  const now = toTimestamp(Date.now());
  const running = sql<{ name: string }>`select name from nodes where expires_at >= ${now} order by name`;
  const { rows } = await running.execute(db);
  if (rows.length === 0) return;
  throw new Error(
    `Nodes of an earlier version serve beside this one: ${rows.map(({ name }) => name).join(', ')}. ` +
      'They would give outdated verdicts on licenses. Stop all of them, and then start this version. ' +
      'A node that was killed is forgotten after a minute. Nothing was changed.',
  );
}
