import { createFileRoute } from '@tanstack/react-router';
import { ImportScreen } from '../../../features/licenses/ImportScreen.tsx';
import { importSearch } from '../../../features/licenses/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/licenses/import')({
  validateSearch: importSearch,
  component: ImportScreen,
});
