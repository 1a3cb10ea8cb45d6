import type { Invoice } from '../../api/billing.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';

/** The status of an invoice. A paid one may have been paid back, in full or in part. */
export function InvoiceStatusBadge({ invoice }: { readonly invoice: Invoice }) {
  const { status, amount_paid, amount_refunded } = invoice;
  if (status !== 'paid' || amount_refunded === 0) return <StatusBadge status={status} />;
  const isFull = amount_refunded >= amount_paid;
  return <StatusBadge status="refunded" label={isFull ? 'Refunded' : 'Partly refunded'} tone="neutral" />;
}
