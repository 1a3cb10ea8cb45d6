import { createFileRoute } from '@tanstack/react-router';
import { BatchScreen } from '../../../features/license-batches/BatchScreen.tsx';

export const Route = createFileRoute('/admin/tenants/$tenantId/batches/$batchId')({
  component: Batch,
});

function Batch() {
  return <BatchScreen id={Route.useParams().batchId} />;
}
