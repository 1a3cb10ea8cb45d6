import { createFileRoute } from '@tanstack/react-router';
import { OverviewScreen } from '../../../features/overview/OverviewScreen.tsx';
import { overviewSearch } from '../../../features/overview/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/overview')({
  validateSearch: overviewSearch,
  component: OverviewScreen,
});
