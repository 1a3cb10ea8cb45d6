import { createFileRoute } from '@tanstack/react-router';
import { ConnectionScreen } from '../../../features/connections/ConnectionScreen.tsx';
import { connectionSearch } from '../../../features/connections/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/connections/$connectionId')({
  validateSearch: connectionSearch,
  component: Connection,
});

function Connection() {
  return <ConnectionScreen id={Route.useParams().connectionId} />;
}
