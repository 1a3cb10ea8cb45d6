import type { NotificationsTable } from '../../db/tables.ts';
import type { Notification } from './schemas.ts';

/** A notification as callers see it. */
export function presentNotification({ occurrence: _internal, ...row }: NotificationsTable): Notification {
  return row;
}
