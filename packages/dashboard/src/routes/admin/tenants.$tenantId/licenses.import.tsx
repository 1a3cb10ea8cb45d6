import { createFileRoute } from '@tanstack/react-router';
import { ImportScreen } from '../../../features/licenses/ImportScreen.tsx';

export const Route = createFileRoute('/admin/tenants/$tenantId/licenses/import')({
  component: ImportScreen,
});
