import { createFileRoute } from '@tanstack/react-router';
import { SubscriptionsScreen } from '../../../features/subscriptions/SubscriptionsScreen.tsx';
import { subscriptionSearch } from '../../../features/subscriptions/search.ts';

export const Route = createFileRoute('/admin/_platform/subscriptions/')({
  validateSearch: subscriptionSearch,
  component: SubscriptionsScreen,
});
