import { createFileRoute } from '@tanstack/react-router';
import { ConnectionsScreen } from '../../../features/connections/ConnectionsScreen.tsx';
import { connectionsSearch } from '../../../features/connections/search.ts';

export const Route = createFileRoute('/_user/_tenant/connections/')({
  validateSearch: connectionsSearch,
  component: ConnectionsScreen,
});
