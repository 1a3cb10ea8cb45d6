import { createFileRoute } from '@tanstack/react-router';
import { LicenseScreen } from '../../../features/licenses/LicenseScreen.tsx';
import { licenseSearch } from '../../../features/licenses/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/licenses/$licenseId')({
  validateSearch: licenseSearch,
  component: License,
});

function License() {
  return <LicenseScreen id={Route.useParams().licenseId} />;
}
