import type { TenantTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { batchedRule } from '../retention/retention.ts';

/** Deletes audit records older than the tenant's `retention_days.audit`. */
export const auditRetention = batchedRule((tx, { now, settings }, limit) =>
  trimAuditLogs(tx, addDays(now, -settings.retention_days.audit), limit),
);

/** Deletes at most `limit` audit records from before `cutoff`, oldest first. Returns the number deleted. */
async function trimAuditLogs(tx: TenantTransaction, cutoff: Timestamp, limit: number): Promise<number> {
  // Deletes by position: PostgreSQL may scan the whole table to find a list of ids.
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
