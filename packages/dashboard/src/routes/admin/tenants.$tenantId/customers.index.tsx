import { createFileRoute } from '@tanstack/react-router';
import { CustomersScreen } from '../../../features/customers/CustomersScreen.tsx';
import { customersSearch } from '../../../features/customers/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/customers/')({
  validateSearch: customersSearch,
  component: CustomersScreen,
});
