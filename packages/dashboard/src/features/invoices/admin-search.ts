import { oneOf, searchOf, text } from '../../lib/search.ts';
import { invoiceStatuses } from '../billing/search.ts';

/** The filters of the platform's invoices, and the form that is open. */
export const adminInvoiceSearch = searchOf({
  status: oneOf(invoiceStatuses),
  tenant_id: text,
  panel: oneOf(['new']),
  cursor: text,
});
