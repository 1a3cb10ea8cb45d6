import { createFileRoute } from '@tanstack/react-router';
import { PoliciesScreen } from '../../../features/policies/PoliciesScreen.tsx';
import { policySearch } from '../../../features/policies/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/policies/')({
  validateSearch: policySearch,
  component: PoliciesScreen,
});
