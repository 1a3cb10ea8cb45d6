import { createFileRoute } from '@tanstack/react-router';
import { NotificationsScreen } from '../../../features/notifications/NotificationsScreen.tsx';
import { notificationSearch } from '../../../features/notifications/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/notifications')({
  validateSearch: notificationSearch,
  component: NotificationsScreen,
});
