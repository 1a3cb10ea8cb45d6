import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { NotificationsTable } from '../../../db/tables/tenant/notifications.ts';
import { paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { NotificationsQuery } from './schemas.ts';

/** Returns one page of the notifications that match all filters. */
export function listNotifications(db: TenantDb, filters: NotificationsQuery): Promise<NotificationsTable[]> {
  let query = db.query.selectFrom('notifications').selectAll();
  if (filters.type !== undefined) query = query.where('type', '=', filters.type);
  if (filters.severity !== undefined) query = query.where('severity', '=', filters.severity);
  if (filters.unread !== undefined) query = query.where('read_at', filters.unread ? 'is' : 'is not', null);
  return paginate(query, filters).execute();
}

/** Counts the unread notifications, at most `max`, from their own index. */
export async function countUnread({ query }: TenantDb, max: number): Promise<number> {
  const unread = query
    .selectFrom('notifications')
    .select('created_at')
    .where('read_at', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(max);
  const { count } = await query
    .selectFrom(unread.as('unread'))
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Locks at most `limit` unread notifications created at or before `until`, newest first, and returns their ids. */
export async function lockUnread(tx: TenantTransaction, until: Timestamp, limit: number): Promise<string[]> {
  const query = tx
    .selectFrom('notifications')
    .select('id')
    .where('read_at', 'is', null)
    .where('created_at', '<=', until)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  const rows = await forUpdate(tx, query).execute();
  return rows.map(({ id }) => id);
}

/** Locks the unread notifications of a type about a resource, and returns their ids. */
export async function lockUnreadAbout(
  tx: TenantTransaction,
  { type, resourceId }: { readonly type: string; readonly resourceId: string },
): Promise<string[]> {
  const query = tx
    .selectFrom('notifications')
    .select('id')
    .where('read_at', 'is', null)
    .where('type', '=', type)
    .where('resource_id', '=', resourceId);
  const rows = await forUpdate(tx, query).execute();
  return rows.map(({ id }) => id);
}

/** Inserts a notification. Returns false if its occurrence exists. */
export async function createNotificationRow(tx: TenantTransaction, row: NotificationsTable): Promise<boolean> {
  const result = await tx
    .insertInto('notifications')
    .values(row)
    .onConflict((conflict) => conflict.column('occurrence').doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Sets `read_at` of notifications. */
export async function markRead(tx: TenantTransaction, ids: readonly string[], at: Timestamp): Promise<void> {
  await tx.updateTable('notifications').set({ read_at: at }).where('id', 'in', ids).execute();
}
