import type { TenantTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** Removes at most `limit` audit records of a tenant from before `cutoff`, the oldest first, and answers how many. */
export async function trimAuditLogs(tx: TenantTransaction, cutoff: Timestamp, limit: number): Promise<number> {
  // Everything up to the last of them: given their ids instead, PostgreSQL may read the whole table to find them.
  const last = await tx
    .selectFrom('audit_logs')
    .select(['occurred_at', 'id'])
    .where('occurred_at', '<', cutoff)
    .orderBy('occurred_at')
    .orderBy('id')
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst();
  const result = await tx
    .deleteFrom('audit_logs')
    .where((eb) =>
      last === undefined
        ? eb('occurred_at', '<', cutoff)
        : eb(eb.refTuple('occurred_at', 'id'), '<=', eb.tuple(last.occurred_at, last.id)),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
