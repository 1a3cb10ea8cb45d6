import type { PlatformDb, PlatformTransaction, TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { NotificationDigestsTable } from '../../../db/tables/platform/notification-digests.ts';
import type { NotificationsTable } from '../../../db/tables/tenant/notifications.ts';

/** What waits to be mailed: whether a mail was begun, and whether anything cannot wait. */
export interface WaitingMail {
  readonly begun: number | null;
  readonly count: number;
  readonly isUrgent: boolean;
}

export async function readWaiting(db: TenantDb['query'] | TenantTransaction): Promise<WaitingMail> {
  const { begun, count, urgent } = await db
    .selectFrom('notification_mails')
    .select(({ fn }) => [
      fn.min<number | null>('mail_number').as('begun'),
      fn.countAll<number>().as('count'),
      fn.max<number | null>('is_urgent').as('urgent'),
    ])
    .executeTakeFirstOrThrow();
  return { begun, count: Number(count), isUrgent: urgent === 1 };
}

/** The number of the mail that was begun last. Others who begin one wait for the end of the transaction. */
export async function lockMailNumber(tx: TenantTransaction): Promise<number> {
  const row = await forUpdate(tx, tx.selectFrom('notification_mail_numbers').select('last_number')).executeTakeFirst();
  return row?.last_number ?? 0;
}

/** Begins a mail of everything that waits. */
export async function beginMail(tx: TenantTransaction, number: number): Promise<void> {
  await tx.updateTable('notification_mail_numbers').set({ last_number: number }).execute();
  await tx.updateTable('notification_mails').set({ mail_number: number }).where('mail_number', 'is', null).execute();
}

/** The first notifications of a mail, in the order of time, and how many there are. */
export async function readMail(
  db: TenantDb,
  number: number,
  limit: number,
): Promise<{ readonly first: NotificationsTable[]; readonly count: number }> {
  const told = db.query
    .selectFrom('notification_mails')
    .innerJoin('notifications', 'notifications.id', 'notification_mails.notification_id')
    .where('mail_number', '=', number);
  const first = await told
    .selectAll('notifications')
    .orderBy('is_urgent', 'desc')
    .orderBy('notifications.created_at')
    .orderBy('notifications.id')
    .limit(limit)
    .execute();
  const { count } = await told.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return { first, count: Number(count) };
}

/** Forgets what a mail told of. */
export async function endMail(db: TenantDb, number: number): Promise<void> {
  await db.query.deleteFrom('notification_mails').where('mail_number', '=', number).execute();
}

/** The last mail of its notifications that a tenant got. */
export function findDigest(platform: PlatformDb, tenantId: string): Promise<NotificationDigestsTable | undefined> {
  const query = platform.query.selectFrom('notification_digests').selectAll();
  return query.where('tenant_id', '=', tenantId).executeTakeFirst();
}

/** Notes that a tenant gets a mail; false when it got it, or a later one, before. */
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

export async function findTenantName(platform: PlatformDb, tenantId: string): Promise<string> {
  const query = platform.query.selectFrom('tenants').select('name').where('id', '=', tenantId);
  return (await query.executeTakeFirstOrThrow()).name;
}
