import type { PlatformDb, PlatformTransaction, TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { NotificationDigestsTable } from '../../../db/tables/platform/background.ts';
import type { NotificationsTable } from '../../../db/tables/tenant/notifications.ts';

/** The notifications pending for mail. */
export interface WaitingMail {
  /** The number of a mail that was started and not finished. */
  readonly unfinished: number | null;
  readonly count: number;
  /** True if at least one of them is urgent. */
  readonly isUrgent: boolean;
}

/** Counts the notifications pending for mail. */
export async function readWaiting(db: TenantDb['query'] | TenantTransaction): Promise<WaitingMail> {
  const { unfinished, count, urgent } = await db
    .selectFrom('notification_mails')
    .select(({ fn }) => [
      fn.min<number | null>('mail_number').as('unfinished'),
      fn.countAll<number>().as('count'),
      fn.max<number | null>('is_urgent').as('urgent'),
    ])
    .executeTakeFirstOrThrow();
  return { unfinished, count: Number(count), isUrgent: urgent === 1 };
}

/** Returns the number of the last mail, with its row locked: concurrent runs wait for the end of the transaction. */
export async function lockMailNumber(tx: TenantTransaction): Promise<number> {
  const row = await forUpdate(tx, tx.selectFrom('notification_mail_numbers').select('last_number')).executeTakeFirst();
  return row?.last_number ?? 0;
}

/** Assigns all pending notifications to the mail `number`. */
export async function assignMail(tx: TenantTransaction, number: number): Promise<void> {
  await tx.updateTable('notification_mail_numbers').set({ last_number: number }).execute();
  await tx.updateTable('notification_mails').set({ mail_number: number }).where('mail_number', 'is', null).execute();
}

/** Returns the first `limit` notifications of a mail, urgent ones first, then by time, and their total number. */
export async function readMail(
  db: TenantDb,
  number: number,
  limit: number,
): Promise<{ readonly first: NotificationsTable[]; readonly count: number }> {
  const ofMail = db.query
    .selectFrom('notification_mails')
    .innerJoin('notifications', 'notifications.id', 'notification_mails.notification_id')
    .where('mail_number', '=', number);
  const first = await ofMail
    .selectAll('notifications')
    .orderBy('is_urgent', 'desc')
    .orderBy('notifications.created_at')
    .orderBy('notifications.id')
    .limit(limit)
    .execute();
  const { count } = await ofMail.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return { first, count: Number(count) };
}

/** Finds the last notification mail queued for a tenant. */
export function findDigest(platform: PlatformDb, tenantId: string): Promise<NotificationDigestsTable | undefined> {
  const query = platform.query.selectFrom('notification_digests').selectAll();
  return query.where('tenant_id', '=', tenantId).executeTakeFirst();
}

/** Records the mail of a tenant. Returns false if this mail or a later one was recorded before. */
export async function recordDigest(tx: PlatformTransaction, row: NotificationDigestsTable): Promise<boolean> {
  const result = await tx
    .insertInto('notification_digests')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('tenant_id')
        .doUpdateSet({ last_number: row.last_number, mailed_at: row.mailed_at })
        .where('notification_digests.last_number', '<', row.last_number),
    )
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Returns the name of a tenant; throws if it does not exist. */
export async function findTenantName(platform: PlatformDb, tenantId: string): Promise<string> {
  const query = platform.query.selectFrom('tenants').select('name').where('id', '=', tenantId);
  return (await query.executeTakeFirstOrThrow()).name;
}
