import { createFileRoute } from '@tanstack/react-router';
import { SubscriptionScreen } from '../../../features/subscriptions/SubscriptionScreen.tsx';

export const Route = createFileRoute('/admin/_platform/subscriptions/$subscriptionId')({
  component: () => <SubscriptionScreen id={Route.useParams().subscriptionId} />,
});
