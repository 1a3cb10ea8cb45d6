import { createFileRoute } from '@tanstack/react-router';
import { BillingScreen } from '../../../features/billing/BillingScreen.tsx';
import { billingSearch } from '../../../features/billing/search.ts';

export const Route = createFileRoute('/_user/_tenant/billing/')({
  validateSearch: billingSearch,
  component: BillingScreen,
});
