import type { SandboxInvoice } from '../state.ts';
import { cardFields, type FormState, formOf, money, pageOf, submitButton } from './html.ts';

/** Returns the page of an invoice. Anybody with its URL may pay it. `path` is that of the page. */
export function invoicePage(base: string, path: string, invoice: SandboxInvoice, state: FormState): string {
  if (invoice.status !== 'open') {
    const title = `This invoice is ${invoice.status}`;
    return pageOf(base, { title, content: `<h1>${title}</h1><p>There is nothing to pay.</p>` });
  }
  const amount = money(invoice.amountDue, invoice.currency);
  const content = `<h1>Pay an invoice</h1>
      <p class="amount">${amount}</p>
      ${formOf(`${path}/pay`, state, cardFields(state) + submitButton(`Pay ${amount}`))}`;
  return pageOf(base, { title: 'Pay an invoice', content });
}

/** Returns the page for an unknown, invalid or expired URL. */
export function notFoundPage(base: string): string {
  const title = 'This link is not valid';
  const content = `<h1>${title}</h1><p>The link may have expired. Open it again from the page or mail that you got it from.</p>`;
  return pageOf(base, { title, content });
}
