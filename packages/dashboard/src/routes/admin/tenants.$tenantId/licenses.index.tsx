import { createFileRoute } from '@tanstack/react-router';
import { LicensesScreen } from '../../../features/licenses/LicensesScreen.tsx';
import { licensesSearch } from '../../../features/licenses/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/licenses/')({
  validateSearch: licensesSearch,
  component: LicensesScreen,
});
