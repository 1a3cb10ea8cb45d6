import type { TenantTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** Where a notification stands in the order of time. */
interface Position {
  readonly created_at: Timestamp;
  readonly id: string;
}

/** The last of the `count` oldest notifications of before a moment; undefined when there are fewer. */
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

/** Forgets what waits to be mailed since before a moment; it is little, because mail goes out every hour. */
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

/** Deletes what is older than a moment, or not newer than a notification. Answers how many. */
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
