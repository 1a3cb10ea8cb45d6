import { toPage } from '../../../http/cursor.ts';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { creatingRoute } from '../idempotency/creating-route.ts';
import { countUnread, listNotifications } from './queries.ts';
import { CreateNotification, Notification, NotificationsQuery, ReadCount, UnreadCount } from './schemas.ts';
import { createNotification, presentNotification, readAllNotifications, readNotification } from './service.ts';

const tags = ['Notifications'] as const;

/** Dashboards ask often, and show a larger number as `99+`. */
const unreadMax = 100;

/** Routes of a tenant's notifications, which the service, the tenant's users and platform admins create. */
export function notificationRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'listNotifications',
      summary: 'List notifications',
      tags,
      querystring: NotificationsQuery,
      response: { 200: PageEnvelope(Notification) },
      async handler({ request, tenant }) {
        const page = toPage(await listNotifications(tenant.db, request.query), request.query.limit);
        return successPage(request, { ...page, rows: page.rows.map(presentNotification) });
      },
    }),
    tenantRoute('GET', '/unread-count', {
      operationId: 'countUnreadNotifications',
      summary: 'Count the unread notifications',
      tags,
      response: { 200: Envelope(UnreadCount) },
      async handler({ request, tenant }) {
        return success(request, { count: await countUnread(tenant.db, unreadMax) });
      },
    }),
    creatingRoute(services, '', {
      operationId: 'createNotification',
      summary: 'Create a notification',
      tags,
      description: '`type` defaults to `message` and `severity` to `info`.',
      body: CreateNotification,
      response: { 201: Envelope(Notification) },
      create: ({ request, tenant, actor }) => createNotification(services, tenant, actor, request.body),
      answer: (row) => ({ status: 201, data: presentNotification(row) }),
    }),
    tenantRoute('POST', '/:id/read', {
      operationId: 'markNotificationRead',
      summary: 'Mark a notification as read',
      tags,
      description:
        'The notification is then read for all users of the tenant. Repeating the request returns the same result.',
      params: IdParams,
      response: { 200: Envelope(Notification) },
      async handler({ request, tenant, actor }) {
        const row = await readNotification(services, tenant, actor, request.params.id);
        return success(request, presentNotification(row));
      },
    }),
    tenantRoute('POST', '/read-all', {
      operationId: 'markAllNotificationsRead',
      summary: 'Mark all notifications as read',
      tags,
      response: { 200: Envelope(ReadCount) },
      async handler({ request, tenant, actor }) {
        return success(request, { count: await readAllNotifications(services, tenant, actor) });
      },
    }),
  ];
}
