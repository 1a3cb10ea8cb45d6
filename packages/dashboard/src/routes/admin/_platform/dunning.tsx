import { createFileRoute } from '@tanstack/react-router';
import { DunningScreen } from '../../../features/billing-admin/DunningScreen.tsx';
import { dunningSearch } from '../../../features/billing-admin/search.ts';

export const Route = createFileRoute('/admin/_platform/dunning')({
  validateSearch: dunningSearch,
  component: DunningScreen,
});
