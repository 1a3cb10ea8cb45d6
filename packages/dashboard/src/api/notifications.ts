import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf, once } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf, listQuery } from './query-client.ts';
import type { components, operations } from './schema.gen.ts';

export type Notification = components['schemas']['Notification'];
export type CreateNotification = components['schemas']['CreateNotification'];
type NotificationFilters = NonNullable<operations['listNotifications']['parameters']['query']>;

/** Query-key prefix of notifications. */
export const notificationsKey = (surface: Surface) => keyOf(surface, 'notifications');

/** Reads one page of notifications, newest first. */
export function notificationsQuery(surface: Surface, filters: NotificationFilters) {
  return listQuery(
    [...notificationsKey(surface), 'list', filters],
    () => bodyOf(apiOf(surface).GET('/api/v1/tenant/notifications', { params: { query: filters } })),
    { refetchInterval: 5_000 },
  );
}

/** Counts the unread notifications up to 100. Admins of the platform have no such count. */
export function unreadCountQuery(surface: Surface) {
  return queryOptions({
    queryKey: [...notificationsKey(surface), 'unread-count'],
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/notifications/unread-count')),
    refetchInterval: 15_000,
    enabled: surface.area === 'tenant' && surface.tenantId !== null,
  });
}

/** Writes a notification to everybody in the tenant. */
export function createNotification(surface: Surface, body: CreateNotification, idempotencyKey: string) {
  return dataOf(apiOf(surface).POST('/api/v1/tenant/notifications', { params: once(idempotencyKey), body }));
}

/** Marks a notification as read for everybody in the tenant. */
export function markRead(surface: Surface, id: string) {
  return dataOf(apiOf(surface).POST('/api/v1/tenant/notifications/{id}/read', { params: { path: { id } } }));
}

/** Marks all notifications as read. */
export function markAllRead(surface: Surface) {
  return dataOf(apiOf(surface).POST('/api/v1/tenant/notifications/read-all'));
}
