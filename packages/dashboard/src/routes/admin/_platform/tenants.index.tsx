import { createFileRoute } from '@tanstack/react-router';
import { tenantSearch } from '../../../features/tenants/search.ts';
import { TenantsScreen } from '../../../features/tenants/TenantsScreen.tsx';

export const Route = createFileRoute('/admin/_platform/tenants/')({
  validateSearch: tenantSearch,
  component: TenantsScreen,
});
