import { createFileRoute } from '@tanstack/react-router';
import { BulkOperationScreen } from '../../../features/bulk-operations/BulkOperationScreen.tsx';

export const Route = createFileRoute('/admin/tenants/$tenantId/bulk-operations/$operationId')({
  component: Operation,
});

function Operation() {
  return <BulkOperationScreen id={Route.useParams().operationId} />;
}
