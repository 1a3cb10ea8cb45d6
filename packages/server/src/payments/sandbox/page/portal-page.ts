import type { Account, SandboxInvoice } from '../state.ts';
import { cardFields, detailsFields } from './fields.ts';
import { valuesOf } from './form-input.ts';
import { type FormState, formOf, linkTo, money, pageOf, submitButton } from './html.ts';

/** The content of the portal page. */
export interface PortalView {
  readonly account: Account;
  readonly invoices: readonly SandboxInvoice[];
  readonly returnUrl: string;
  /** The path of the portal. */
  readonly path: string;
  /** The form that was sent before, with its state: an invoice's id, `card` or `details`. */
  readonly sent?: { readonly form: string; readonly state: FormState };
}

const untouched: FormState = { values: {}, problems: [] };

/** Returns the page on which a customer pays open invoices, and changes the card and the recipient of the invoices. */
export function portalPage(base: string, { account, invoices, returnUrl, path, sent }: PortalView): string {
  const { card, details } = account;
  const stateOf = (form: string) => (sent?.form === form ? sent.state : untouched);
  const open = invoices.map(({ id, amountDue, currency }) => {
    const amount = `<p class="amount">${money(amountDue, currency)}</p>`;
    if (card === null) return `${amount}<p class="hint">Add a card below to pay it.</p>`;
    const button = submitButton(`Pay with the ${card.brand} card ending in ${card.last4}`);
    return amount + formOf(`${path}/invoices/${id}/pay`, stateOf(id), button);
  });
  const detailsState = sent?.form === 'details' ? sent.state : { ...untouched, values: valuesOf(details) };
  const content = `<h1>Billing</h1>
      <h2>Open invoices</h2>
      ${open.length === 0 ? '<p>No invoice is open.</p>' : open.join('\n      ')}
      <h2>Card</h2>
      <p>${card === null ? 'There is no card.' : `${card.brand} ending in ${card.last4}`}</p>
      ${formOf(`${path}/card`, stateOf('card'), cardFields(stateOf('card')) + submitButton(card === null ? 'Add the card' : 'Change the card', 'quiet'))}
      <h2>Billing details</h2>
      <p class="hint">The country and the VAT ID determine the taxes of your next invoices.</p>
      ${formOf(`${path}/details`, detailsState, detailsFields(detailsState) + submitButton('Save the billing details', 'quiet'))}
      <p class="back">${linkTo(returnUrl, 'Back')}</p>`;
  return pageOf(base, { title: 'Billing', content });
}
