import { createFileRoute } from '@tanstack/react-router';
import { AdminTenantArea } from '../../../shell/AdminTenantArea.tsx';

export const Route = createFileRoute('/admin/tenants/$tenantId')({ component: AdminTenant });

function AdminTenant() {
  return <AdminTenantArea tenantId={Route.useParams().tenantId} />;
}
