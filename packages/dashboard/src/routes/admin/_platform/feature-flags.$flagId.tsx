import { createFileRoute } from '@tanstack/react-router';
import { FlagScreen } from '../../../features/feature-flags/FlagScreen.tsx';
import { flagPageSearch } from '../../../features/feature-flags/search.ts';

export const Route = createFileRoute('/admin/_platform/feature-flags/$flagId')({
  validateSearch: flagPageSearch,
  component: () => <FlagScreen id={Route.useParams().flagId} />,
});
