import type { TenantTransaction } from '../../../db/database.ts';
import type { NotificationsTable } from '../../../db/tables/tenant/notifications.ts';
import { createNotificationRow } from './queries.ts';

/** Inserts notifications of the past, in the caller's transaction. They are not mailed. */
export async function createPastNotifications(
  tx: TenantTransaction,
  rows: readonly NotificationsTable[],
): Promise<void> {
  for (const row of rows) await createNotificationRow(tx, row);
}
