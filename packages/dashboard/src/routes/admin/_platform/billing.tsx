import { createFileRoute } from '@tanstack/react-router';
import { BillingAdminScreen } from '../../../features/billing-admin/BillingAdminScreen.tsx';
import { billingAdminSearch } from '../../../features/billing-admin/search.ts';

export const Route = createFileRoute('/admin/_platform/billing')({
  validateSearch: billingAdminSearch,
  component: BillingAdminScreen,
});
