import type { NotificationsTable } from '../../../db/tables/tenant/notifications.ts';
import type { Notification } from './schemas.ts';

/** The kind of the job that mails notifications. */
export const notificationMailJobKind = 'notification-mail';

/** Presents a notification as the API returns it. */
export function presentNotification({ occurrence: _internal, ...row }: NotificationsTable): Notification {
  return row;
}
