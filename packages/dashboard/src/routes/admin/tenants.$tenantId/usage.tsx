import { createFileRoute } from '@tanstack/react-router';
import { usageSearch } from '../../../features/usage/search.ts';
import { UsageScreen } from '../../../features/usage/UsageScreen.tsx';

export const Route = createFileRoute('/admin/tenants/$tenantId/usage')({
  validateSearch: usageSearch,
  component: UsageScreen,
});
