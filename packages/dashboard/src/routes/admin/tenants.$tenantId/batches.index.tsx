import { createFileRoute } from '@tanstack/react-router';
import { BatchesScreen } from '../../../features/license-batches/BatchesScreen.tsx';
import { batchesSearch } from '../../../features/license-batches/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/batches/')({
  validateSearch: batchesSearch,
  component: BatchesScreen,
});
