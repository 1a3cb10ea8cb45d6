import { createFileRoute } from '@tanstack/react-router';
import { CustomerScreen } from '../../../features/customers/CustomerScreen.tsx';
import { customerSearch } from '../../../features/customers/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/customers/$email')({
  validateSearch: customerSearch,
  component: Customer,
});

function Customer() {
  return <CustomerScreen email={Route.useParams().email} />;
}
