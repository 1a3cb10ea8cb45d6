import { createFileRoute } from '@tanstack/react-router';
import { AdminInvoiceScreen } from '../../../features/invoices/InvoiceScreens.tsx';

export const Route = createFileRoute('/admin/_platform/invoices/$invoiceId')({
  component: () => <AdminInvoiceScreen id={Route.useParams().invoiceId} />,
});
