import type { TenantTransaction } from '../../../db/database.ts';
import { addDays } from '../../../lib/duration.ts';
import { batchedRule } from '../retention/retention.ts';
import { deleteMailRowsBefore, deleteOldest, findOldest, type OldNotifications } from './retention-queries.ts';

const readKeptForDays = 90;

/**
 * Deletes notifications that were read when they are older than 90 days, and all others when they are older than
 * `retention_days.audit`: an unread notification is kept as long as its audit record.
 */
export const notificationRetention = batchedRule(async (tx, { now, settings }, limit) => {
  const read = await trimNotifications(tx, { before: addDays(now, -readKeptForDays), isRead: true }, limit);
  if (read >= limit) return read;
  return await trimNotifications(tx, { before: addDays(now, -settings.retention_days.audit), isRead: false }, limit);
});

/**
 * Deletes at most `limit` notifications, oldest first. Unsent mail about them is discarded. Returns the number of
 * notifications deleted.
 */
async function trimNotifications(tx: TenantTransaction, old: OldNotifications, limit: number): Promise<number> {
  const oldest = await findOldest(tx, old, limit);
  await deleteMailRowsBefore(tx, old.before);
  return await deleteOldest(tx, old, oldest);
}
