import { createFileRoute } from '@tanstack/react-router';
import { AdminHomeScreen } from '../../../features/metrics/AdminHomeScreen.tsx';
import { homeSearch } from '../../../features/metrics/search.ts';

export const Route = createFileRoute('/admin/_platform/')({
  validateSearch: homeSearch,
  component: AdminHomeScreen,
});
