import { createFileRoute } from '@tanstack/react-router';
import { AdminInvoicesScreen } from '../../../features/invoices/AdminInvoicesScreen.tsx';
import { adminInvoiceSearch } from '../../../features/invoices/admin-search.ts';

export const Route = createFileRoute('/admin/_platform/invoices/')({
  validateSearch: adminInvoiceSearch,
  component: AdminInvoicesScreen,
});
