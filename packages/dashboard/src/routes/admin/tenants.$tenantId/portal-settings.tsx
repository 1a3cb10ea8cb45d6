import { createFileRoute } from '@tanstack/react-router';
import { PortalScreen } from '../../../features/portal/PortalScreen.tsx';

export const Route = createFileRoute('/admin/tenants/$tenantId/portal-settings')({
  component: PortalScreen,
});
