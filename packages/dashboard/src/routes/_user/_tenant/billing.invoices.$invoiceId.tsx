import { createFileRoute } from '@tanstack/react-router';
import { InvoiceScreen } from '../../../features/invoices/InvoiceScreens.tsx';

export const Route = createFileRoute('/_user/_tenant/billing/invoices/$invoiceId')({
  component: () => <InvoiceScreen id={Route.useParams().invoiceId} />,
});
