import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { insertRow, lockRow } from '../../../db/rows.ts';
import type { NotificationsTable } from '../../../db/tables/tenant/notifications.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { AppError, orThrow } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { ClockServices } from '../../../services.ts';
import { type Actor, systemActor, type Tenant } from '../../../tenancy/tenant.ts';
import { auditsOf, createdFields, recordAudit } from '../audit/audit.ts';
import { expiryRule, type RetentionContext, type RetentionRule } from '../retention/retention.ts';
import { createNotificationRow, lockUnread, lockUnreadAbout, markRead } from './queries.ts';
import type { CreateNotification, Notification } from './schemas.ts';

const auditOf = auditsOf('notification');

/** Without the body: a notification is kept as long as its audit record. */
const auditedFields = ['type', 'severity', 'title'] as const;

/** An embedded database blocks the process while it writes: one batch takes about 10 ms. */
const readBatch = 1000;

/** A notification from the service to the users of a tenant. */
export interface ServiceNotification {
  /** The type of the event, such as `license.expiring`. */
  readonly type: string;
  readonly severity: NotificationsTable['severity'];
  /** One line of at most 200 characters. */
  readonly title: string;
  /** The cause and the remedy, in at most 5,000 characters. */
  readonly body: string;
  /** Identifies the occurrence (`license.expiring:<id>:<expires_at>`), which is notified once. Null allows repetitions. */
  readonly occurrence: string | null;
  /** What it is about, so that a dashboard can link to it. Default: nothing. */
  readonly resource?: { readonly type: string; readonly id: string | null };
  /** The timestamp of the transaction. */
  readonly at: Timestamp;
  /** The id of the request that caused it, if any. */
  readonly requestId?: string | null;
  /** Mails it at once instead of with the next digest. */
  readonly isUrgent?: boolean;
  /** Suppresses the mail, because the users have already received one about it. */
  readonly isMailed?: boolean;
}

/**
 * Creates a notification, and queues it for mail, in the transaction of the change that it reports. Wake the job
 * `notificationMailJobKind` after the commit, or use `Outbox.notify`, which does so. Returns false and writes nothing
 * if the same occurrence was notified before.
 */
export async function notify(tx: TenantTransaction, notification: ServiceNotification): Promise<boolean> {
  const { at, requestId = null, isUrgent = false, isMailed = false, resource, ...fields } = notification;
  const about = { resource_type: resource?.type ?? null, resource_id: resource?.id ?? null };
  const row = { id: newId(), ...fields, ...about, read_at: null, created_at: at };
  if (!(await writeNotification(tx, { ...systemActor, requestId }, row))) return false;
  if (isMailed) return true;
  await insertRow(tx, 'notification_mails', {
    notification_id: row.id,
    is_urgent: isUrgent ? 1 : 0,
    mail_number: null,
  });
  return true;
}

/**
 * Marks the unread notifications of a type about a resource as read, in the caller's transaction: what they report is
 * over. Does nothing without one.
 */
export async function settleNotifications(
  tx: TenantTransaction,
  about: { readonly type: string; readonly resourceId: string },
  at: Timestamp,
): Promise<void> {
  const ids = await lockUnreadAbout(tx, about);
  if (ids.length === 0) return;
  await markRead(tx, ids, at);
  const changes = [{ field: 'read_at', old: null, new: at }];
  for (const id of ids) await recordAudit(tx, systemActor, { ...auditOf(id, 'NOTIFICATION.READ'), changes, at });
}

async function writeNotification(tx: TenantTransaction, actor: Actor, row: NotificationsTable): Promise<boolean> {
  if (!(await createNotificationRow(tx, row))) return false;
  const changes = createdFields(row, auditedFields);
  await recordAudit(tx, actor, { ...auditOf(row.id, 'NOTIFICATION.CREATED'), changes, at: row.created_at });
  return true;
}

/** Creates a notification that a user or an admin wrote. It is not mailed. */
export async function createNotification(
  { clock }: ClockServices,
  tenant: Tenant,
  actor: Actor,
  { type = 'message', severity = 'info', title, body }: CreateNotification,
): Promise<NotificationsTable> {
  return await tenant.db.transaction(async (tx) => {
    const fields = { id: newId(), type, severity, title, body };
    const about = { occurrence: null, resource_type: null, resource_id: null };
    const row = { ...fields, ...about, read_at: null, created_at: clock.now() };
    await writeNotification(tx, actor, row);
    return row;
  });
}

/** Marks a notification as read for all users of the tenant; a read one keeps its timestamp. Throws 404. */
export async function readNotification(
  { clock }: ClockServices,
  tenant: Tenant,
  actor: Actor,
  id: string,
): Promise<NotificationsTable> {
  return await tenant.db.transaction(async (tx) => {
    const row = orThrow(await lockRow(tx, 'notifications', id), notificationNotFound);
    if (row.read_at !== null) return row;
    const at = clock.now();
    await markRead(tx, [id], at);
    const changes = [{ field: 'read_at', old: null, new: at }];
    await recordAudit(tx, actor, { ...auditOf(id, 'NOTIFICATION.READ'), changes, at });
    return { ...row, read_at: at };
  });
}

/**
 * Marks all notifications that are unread now as read and returns their number. It works in batches of 1,000, each a
 * transaction with its own audit record, so that other requests are not blocked for long. After an interruption,
 * repeating the request continues.
 */
export async function readAllNotifications({ clock }: ClockServices, tenant: Tenant, actor: Actor): Promise<number> {
  const until = clock.now();
  const readBatchOf = async (tx: TenantTransaction) => {
    const ids = await lockUnread(tx, until, readBatch);
    if (ids.length === 0) return 0;
    const at = clock.now();
    await markRead(tx, ids, at);
    const changes = [{ field: 'count', old: null, new: ids.length }];
    await recordAudit(tx, actor, { ...auditOf(null, 'NOTIFICATION.ALL_READ'), changes, at });
    return ids.length;
  };
  let count = 0;
  let marked: number;
  do {
    marked = await tenant.db.transaction(readBatchOf);
    count += marked;
  } while (marked === readBatch);
  return count;
}

function notificationNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', 'There is no such notification. List the notifications to find its id.');
}

/** The kind of the job that mails notifications. */
export const notificationMailJobKind = 'notification-mail';

/** Presents a notification as the API returns it. */
export function presentNotification({ occurrence: _internal, ...row }: NotificationsTable): Notification {
  return row;
}

/** Inserts notifications of the past, in the caller's transaction. They are not mailed. */
export async function createPastNotifications(
  tx: TenantTransaction,
  rows: readonly NotificationsTable[],
): Promise<void> {
  for (const row of rows) await createNotificationRow(tx, row);
}

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
