import { createFileRoute } from '@tanstack/react-router';
import { AdminInvoiceScreen } from '../../../features/invoices/AdminInvoiceScreen.tsx';

export const Route = createFileRoute('/admin/_platform/invoices/$invoiceId')({
  component: () => <AdminInvoiceScreen id={Route.useParams().invoiceId} />,
});
