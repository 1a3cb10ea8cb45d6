import { createFileRoute } from '@tanstack/react-router';
import { ConnectionsScreen } from '../../../features/connections/ConnectionsScreen.tsx';
import { connectionsSearch } from '../../../features/connections/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/connections/')({
  validateSearch: connectionsSearch,
  component: ConnectionsScreen,
});
