import { createFileRoute } from '@tanstack/react-router';
import { userSearch } from '../../../features/users/search.ts';
import { UsersScreen } from '../../../features/users/UsersScreen.tsx';

export const Route = createFileRoute('/admin/_platform/users/')({
  validateSearch: userSearch,
  component: UsersScreen,
});
