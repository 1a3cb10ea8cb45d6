import { createFileRoute } from '@tanstack/react-router';
import { BulkOperationsScreen } from '../../../features/bulk-operations/BulkOperationsScreen.tsx';
import { bulkOperationsSearch } from '../../../features/bulk-operations/search.ts';

export const Route = createFileRoute('/_user/_tenant/bulk-operations/')({
  validateSearch: bulkOperationsSearch,
  component: BulkOperationsScreen,
});
