import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { onSurface } from './endpoints.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

export type Notification = components['schemas']['Notification'];
export type CreateNotification = components['schemas']['CreateNotification'];

/** Query-key prefix of notifications. */
export const notificationsKey = (surface: Surface) => keyOf(surface, 'notifications');

/** Reads one page of notifications, newest first. */
export const notificationsQuery = onSurface.list('/api/v1/tenant/notifications', ['notifications', 'list'], {
  refetchInterval: 5_000,
});

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
export const createNotification = onSurface.POST('/api/v1/tenant/notifications');

/** Marks a notification as read for everybody in the tenant. */
export const markRead = onSurface.POST('/api/v1/tenant/notifications/{id}/read');

/** Marks all notifications as read. */
export const markAllRead = onSurface.POST('/api/v1/tenant/notifications/read-all');
