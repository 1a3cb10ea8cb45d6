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

/** The oldest notifications: from the first to the last one, or to all old ones if `last` is undefined. */
interface OldestNotifications {
  readonly first: Position | undefined;
  readonly last: Position | undefined;
}

/** Returns the range of the `count` oldest of the old notifications. `last` is undefined if there are fewer. */
export async function findOldest(
  tx: TenantTransaction,
  { before, isRead }: OldNotifications,
  count: number,
): Promise<OldestNotifications> {
  const nth = (offset: number) =>
    tx
      .selectFrom('notifications')
      .select(['created_at', 'id'])
      .where('created_at', '<', before)
      .$if(isRead, (query) => query.where('read_at', 'is not', null))
      .orderBy('created_at')
      .orderBy('id')
      .offset(offset)
      .limit(1)
      .executeTakeFirst();
  const first = await nth(0);
  return { first, last: first && (await nth(count - 1)) };
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

/** Deletes the old notifications of a range. Returns the number deleted. */
export async function deleteOldest(
  tx: TenantTransaction,
  { before, isRead }: OldNotifications,
  { first, last }: OldestNotifications,
): Promise<number> {
  if (first === undefined) return 0;
  const result = await tx
    .deleteFrom('notifications')
    // Without this bound PostgreSQL expects to find the rows that earlier batches deleted, and reads the whole table.
    .where('created_at', '>=', first.created_at)
    .where((eb) =>
      last === undefined
        ? eb('created_at', '<', before)
        : eb(eb.refTuple('created_at', 'id'), '<=', eb.tuple(last.created_at, last.id)),
    )
    .$if(isRead, (query) => query.where('read_at', 'is not', null))
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
