import { createFileRoute } from '@tanstack/react-router';
import { AdminsScreen } from '../../../features/admins/AdminsScreen.tsx';
import { adminSearch } from '../../../features/admins/search.ts';

export const Route = createFileRoute('/admin/_platform/admins')({
  validateSearch: adminSearch,
  component: AdminsScreen,
});
