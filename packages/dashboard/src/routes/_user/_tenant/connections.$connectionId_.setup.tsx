import { createFileRoute } from '@tanstack/react-router';
import { SetupScreen } from '../../../features/connections/SetupScreen.tsx';
import { setupSearch } from '../../../features/connections/search.ts';

export const Route = createFileRoute('/_user/_tenant/connections/$connectionId_/setup')({
  validateSearch: setupSearch,
  component: Connection,
});

function Connection() {
  return <SetupScreen id={Route.useParams().connectionId} />;
}
