import type { TenantTransaction } from '../../db/database.ts';
import type { Timestamp } from '../../lib/clock.ts';

/** Removes at most `limit` audit records of a tenant from before `cutoff`, the oldest first, and answers how many. */
export async function trimAuditLogs(tx: TenantTransaction, cutoff: Timestamp, limit: number): Promise<number> {
  const old = tx
    .selectFrom('audit_logs')
    .select('id')
    .where('occurred_at', '<', cutoff)
    .orderBy('occurred_at')
    .orderBy('id')
    .limit(limit);
  const result = await tx.deleteFrom('audit_logs').where('id', 'in', old).executeTakeFirst();
  return Number(result.numDeletedRows);
}
