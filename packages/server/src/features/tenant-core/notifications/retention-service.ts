import type { TenantTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { deleteMailRowsBefore, deleteNotificationsBefore, findNthNotification } from './retention-queries.ts';

/**
 * Removes at most `limit` notifications of before a moment, read or not, the oldest first. Those of them that were
 * never mailed are not mailed any more. Answers how many.
 */
export async function trimNotifications(tx: TenantTransaction, before: Timestamp, limit: number): Promise<number> {
  const last = await findNthNotification(tx, before, limit);
  await deleteMailRowsBefore(tx, before);
  return await deleteNotificationsBefore(tx, last ?? before);
}
