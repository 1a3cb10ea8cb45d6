import type { NotificationsTable } from '../../../db/tables/tenant/notifications.ts';
import type { Notification } from './schemas.ts';

/** The kind of the background work that mails notifications. */
export const notificationMailJobKind = 'notification-mail';

/** A notification as callers see it. */
export function presentNotification({ occurrence: _internal, ...row }: NotificationsTable): Notification {
  return row;
}
