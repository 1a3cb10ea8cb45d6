import { createFileRoute } from '@tanstack/react-router';
import { NotificationsScreen } from '../../../features/notifications/NotificationsScreen.tsx';
import { notificationSearch } from '../../../features/notifications/search.ts';

export const Route = createFileRoute('/_user/_tenant/notifications')({
  validateSearch: notificationSearch,
  component: NotificationsScreen,
});
