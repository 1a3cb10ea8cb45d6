import type { TenantTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { batchedRule } from '../retention/retention.ts';
import { deleteMailRowsBefore, deleteNotificationsBefore, findNthNotification } from './retention-queries.ts';

/** Deletes notifications older than `retention_days.audit`: a notification is kept as long as its audit record. */
export const notificationRetention = batchedRule((tx, { now, settings }, limit) =>
  trimNotifications(tx, addDays(now, -settings.retention_days.audit), limit),
);

/**
 * Deletes at most `limit` notifications created before a time, read or unread, oldest first. Unsent mail about them is
 * discarded. Returns the number of notifications deleted.
 */
async function trimNotifications(tx: TenantTransaction, before: Timestamp, limit: number): Promise<number> {
  const last = await findNthNotification(tx, before, limit);
  await deleteMailRowsBefore(tx, before);
  return await deleteNotificationsBefore(tx, last ?? before);
}
