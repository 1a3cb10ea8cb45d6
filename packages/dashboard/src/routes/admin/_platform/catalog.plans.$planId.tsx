import { createFileRoute } from '@tanstack/react-router';
import { PlanScreen } from '../../../features/plans/PlanScreen.tsx';

export const Route = createFileRoute('/admin/_platform/catalog/plans/$planId')({
  component: () => <PlanScreen id={Route.useParams().planId} />,
});
