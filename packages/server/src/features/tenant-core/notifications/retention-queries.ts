import type { TenantTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** The position of a notification in the order by time and id. */
interface Position {
  readonly created_at: Timestamp;
  readonly id: string;
}

/** Returns the position of the `count`th oldest notification created before a time; undefined if there are fewer. */
export function findNthNotification(
  tx: TenantTransaction,
  before: Timestamp,
  count: number,
): Promise<Position | undefined> {
  return tx
    .selectFrom('notifications')
    .select(['created_at', 'id'])
    .where('created_at', '<', before)
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

/** Deletes notifications before a time, or up to and including a position. Returns the number deleted. */
export async function deleteNotificationsBefore(tx: TenantTransaction, until: Timestamp | Position): Promise<number> {
  const result = await tx
    .deleteFrom('notifications')
    .where((eb) =>
      typeof until === 'string'
        ? eb('created_at', '<', until)
        : eb(eb.refTuple('created_at', 'id'), '<=', eb.tuple(until.created_at, until.id)),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
