import type { TenantTransaction } from '../../../db/database.ts';
import type { NotificationsTable } from '../../../db/tables/tenant/notifications.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import { systemActor } from '../../../tenancy/system-actor.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { recordAudit } from '../audit/audit.ts';
import { createdFields } from '../audit/created-fields.ts';
import { createMailRow, createNotificationRow, lockNotification, lockUnread, markRead } from './queries.ts';
import type { CreateNotification } from './schemas.ts';

/** Without the body: a notification stays as long as its audit record, so it need not be kept twice. */
const auditedFields = ['type', 'severity', 'title'] as const;

/** An embedded database serves nothing else while it writes: a batch takes some ten milliseconds. */
const readBatch = 1000;

type NotificationServices = Pick<Services, 'clock'>;

/** What the service itself has to tell the people of a tenant. */
export interface ServiceNotification {
  /** The type of the event, such as `license.expiring`. */
  readonly type: string;
  readonly severity: NotificationsTable['severity'];
  /** A line of at most 200 characters. */
  readonly title: string;
  /** At most 5,000 characters: what happened, and what to do. */
  readonly body: string;
  /** Names what happened (`license.expiring:<id>:<expires_at>`): it is told once. Null: it may be told again. */
  readonly occurrence: string | null;
  /** The moment of the transaction. */
  readonly at: Timestamp;
  /** The request that caused it, if one did. */
  readonly requestId?: string | null;
  /** It is mailed at once and does not wait for the next digest. */
  readonly isUrgent?: boolean;
  /** Its people have a mail about it already: none is made of it. */
  readonly isMailed?: boolean;
}

/**
 * Tells the people of a tenant what happened, in the transaction of the change that it is about: both are kept or
 * neither, and have it mailed: note a hint of `notificationMailJobKind` after the commit, or use the outbox of the
 * transaction. Answers false, and writes nothing, when the same occurrence was told before.
 */
export async function notify(tx: TenantTransaction, notification: ServiceNotification): Promise<boolean> {
  const { at, requestId = null, isUrgent = false, isMailed = false, ...fields } = notification;
  const row = { id: newId(), ...fields, read_at: null, created_at: at };
  if (!(await tell(tx, { ...systemActor, requestId }, row))) return false;
  if (isMailed) return true;
  await createMailRow(tx, { notification_id: row.id, is_urgent: isUrgent ? 1 : 0, mail_number: null });
  return true;
}

async function tell(tx: TenantTransaction, actor: Actor, row: NotificationsTable): Promise<boolean> {
  if (!(await createNotificationRow(tx, row))) return false;
  const changes = createdFields(row, auditedFields);
  await recordAudit(tx, actor, { ...auditOf(row.id, 'NOTIFICATION.CREATED'), changes, at: row.created_at });
  return true;
}

/** Makes a notification that somebody wrote. */
export async function createNotification(
  { clock }: NotificationServices,
  tenant: Tenant,
  actor: Actor,
  { type = 'message', severity = 'info', title, body }: CreateNotification,
): Promise<NotificationsTable> {
  return await tenant.db.transaction(async (tx) => {
    const fields = { id: newId(), type, severity, title, body };
    const row = { ...fields, occurrence: null, read_at: null, created_at: clock.now() };
    await tell(tx, actor, row);
    return row;
  });
}

/** Marks a notification as read, for everybody of the tenant. One that is read already stays as it is. Throws 404. */
export async function readNotification(
  { clock }: NotificationServices,
  tenant: Tenant,
  actor: Actor,
  id: string,
): Promise<NotificationsTable> {
  return await tenant.db.transaction(async (tx) => {
    const row = await lockNotification(tx, id);
    if (row === undefined) throw notificationNotFound();
    if (row.read_at !== null) return row;
    const at = clock.now();
    await markRead(tx, [id], at);
    const changes = [{ field: 'read_at', old: null, new: at }];
    await recordAudit(tx, actor, { ...auditOf(id, 'NOTIFICATION.READ'), changes, at });
    return { ...row, read_at: at };
  });
}

/**
 * Marks everything that is unread at this moment as read. Answers how many. Very many are marked in batches, each of
 * them complete with its audit record, so that nobody else waits long; the same request, sent again, goes on.
 */
export async function readAllNotifications(
  { clock }: NotificationServices,
  tenant: Tenant,
  actor: Actor,
): Promise<number> {
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

function auditOf(id: string | null, event: string) {
  return { event, resourceType: 'notification', resourceId: id };
}
