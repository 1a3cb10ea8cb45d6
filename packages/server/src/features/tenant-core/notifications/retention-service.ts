import type { TenantDb } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { expiryRule, type RetentionContext, type RetentionRule } from '../retention/retention.ts';

const readKeptForDays = 90;

/** The times before which notifications that were read, and all notifications, are expired. */
const expiriesOf = ({ now, settings }: RetentionContext) => ({
  ofRead: addDays(now, -readKeptForDays),
  ofAll: addDays(now, -settings.retention_days.audit),
});

const rowRule = expiryRule((context) => {
  const { ofRead, ofAll } = expiriesOf(context);
  const rows = { table: 'notifications', order: ['created_at', 'id'] } as const;
  return [
    { ...rows, before: ofRead, isNotNull: 'read_at' },
    { ...rows, before: ofAll },
  ];
});

/**
 * Deletes notifications that were read when they are older than 90 days, and all others when they are older than
 * `retention_days.audit`: an unread notification is kept as long as its audit record. Unsent mail is discarded after
 * the shorter of the two times.
 */
export const notificationRetention: RetentionRule = {
  startTrim(context) {
    const { ofRead, ofAll } = expiriesOf(context);
    const trimRows = rowRule.startTrim(context);
    let hasMail = true;
    return async (db) => {
      if (hasMail) await deleteMailRowsBefore(db, ofRead > ofAll ? ofRead : ofAll);
      hasMail = false;
      return await trimRows(db);
    };
  },
};

/** These rows are few, because mail is sent every hour. */
async function deleteMailRowsBefore(db: TenantDb, before: Timestamp): Promise<void> {
  await db.query
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
