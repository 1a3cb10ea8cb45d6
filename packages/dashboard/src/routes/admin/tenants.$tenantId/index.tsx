import { createFileRoute } from '@tanstack/react-router';
import { tenantPageSearch } from '../../../features/tenants/search.ts';
import { TenantScreen } from '../../../features/tenants/TenantScreen.tsx';

export const Route = createFileRoute('/admin/tenants/$tenantId/')({
  validateSearch: tenantPageSearch,
  component: () => <TenantScreen id={Route.useParams().tenantId} />,
});
