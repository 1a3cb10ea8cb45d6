import type { TenantTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** The position of a notification in the order by time and id. */
interface Position {
  readonly created_at: Timestamp;
  readonly id: string;
}

/** Notifications created before a time: only those that were read, or all. */
export interface OldNotifications {
  readonly before: Timestamp;
  readonly isRead: boolean;
}

/** Returns the position of the `count`th oldest of the old notifications; undefined if there are fewer. */
export function findNthNotification(
  tx: TenantTransaction,
  { before, isRead }: OldNotifications,
  count: number,
): Promise<Position | undefined> {
  return tx
    .selectFrom('notifications')
    .select(['created_at', 'id'])
    .where('created_at', '<', before)
    .$if(isRead, (query) => query.where('read_at', 'is not', null))
    .orderBy('created_at')
    .orderBy('id')
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst();
}

/** Discards pending mail of notifications created before a time. These are few, because mail is sent every hour. */
export async function deleteMailRowsBefore(tx: TenantTransaction, before: Timestamp): Promise<void> {
  await tx
    .deleteFrom('notification_mails')
    .where(
      ({ selectFrom }) =>
        selectFrom('notifications')
          .select('created_at')
          .whereRef('notifications.id', '=', 'notification_mails.notification_id')
          .limit(1),
      '<',
      before,
    )
    .execute();
}

/** Deletes old notifications, up to and including the position `last` if it is given. Returns the number deleted. */
export async function deleteOldNotifications(
  tx: TenantTransaction,
  { before, isRead }: OldNotifications,
  last: Position | undefined,
): Promise<number> {
  const result = await tx
    .deleteFrom('notifications')
    .where((eb) =>
      last === undefined
        ? eb('created_at', '<', before)
        : eb(eb.refTuple('created_at', 'id'), '<=', eb.tuple(last.created_at, last.id)),
    )
    .$if(isRead, (query) => query.where('read_at', 'is not', null))
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
