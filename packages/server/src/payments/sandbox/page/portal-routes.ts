import type { RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { strictObject } from '../../../http/schema.ts';
import { fieldRequired, validationError } from '../../../lib/error.ts';
import { attachCard, changeAccount, paySandboxInvoice } from '../accounts.ts';
import { type PortalSession, readPortalToken } from '../checkouts.ts';
import { readNow } from '../clock.ts';
import type { SandboxContext } from '../context.ts';
import { updateSandboxCustomer } from '../customers.ts';
import type { Account, SandboxInvoice } from '../state.ts';
import { findAccount, findSandboxInvoice, listOpenInvoices } from '../store.ts';
import { CardFields, DetailsFields, missingCard, readCardFields, readDetails, valuesOf } from './form-input.ts';
import { formRoute, invalidLink, type Params, pageRoute, requireValue } from './form-route.ts';
import { cardFields, detailsFields, type FormState, formOf, linkTo, money, pageOf, submitButton } from './html.ts';

const NoFields = strictObject({});
const PortalPath = Type.Object({ token: Type.String({ maxLength: 512 }) });
const PortalInvoicePath = Type.Object({ token: Type.String({ maxLength: 512 }), id: Type.String({ maxLength: 100 }) });

/** Registers the page on which a customer pays open invoices, and changes the card and the billing details. */
export function portalRoutes(context: SandboxContext): RouteOptions[] {
  const { query } = context.platform;
  const pathOf = ({ token = '' }: Params) => `/sandbox/portal/${token}`;

  async function show(params: Params, sent?: { readonly form: string; readonly state: FormState }) {
    const session = readPortalToken(context, params['token'] ?? '');
    if (session === undefined) return undefined;
    const account = await findAccount(query, { customer_id: session.customerId });
    if (account === undefined) return undefined;
    const invoices = await listOpenInvoices(query, session.customerId);
    const { returnUrl } = session;
    return portalPage({ account, invoices, returnUrl, path: pathOf(params), ...(sent && { sent }) });
  }

  function sessionOf({ token = '' }: Params): PortalSession {
    const session = readPortalToken(context, token);
    if (session === undefined) throw invalidLink();
    return session;
  }

  const shared = { params: PortalPath, pagePath: pathOf };
  return [
    pageRoute('/sandbox/portal/:token', (params) => show(params)),
    formRoute({
      ...shared,
      summary: 'Change the card',
      url: '/sandbox/portal/:token/card',
      body: CardFields,
      show: (params, state) => show(params, { form: 'card', state }),
      async perform(params, values) {
        const { customerId } = sessionOf(params);
        const card = requireValue(readCardFields(values, await readNow(query, context.clock)));
        if (card === null) throw validationError(...missingCard);
        await changeAccount(context, { customer_id: customerId }, (work, at) => attachCard(work, card, at));
        return null;
      },
    }),
    formRoute({
      ...shared,
      summary: 'Change the billing details',
      url: '/sandbox/portal/:token/details',
      body: DetailsFields,
      show: (params, state) => show(params, { form: 'details', state }),
      async perform(params, values) {
        const { customerId } = sessionOf(params);
        const account = await findAccount(query, { customer_id: customerId });
        const details = requireValue(readDetails(values, account?.details?.email ?? ''));
        if (details === null) throw validationError({ field: 'name', message: fieldRequired });
        await updateSandboxCustomer(context, customerId, details);
        return null;
      },
    }),
    formRoute({
      ...shared,
      summary: 'Pay an invoice with the card',
      url: '/sandbox/portal/:token/invoices/:id/pay',
      params: PortalInvoicePath,
      body: NoFields,
      show: (params, state) => show(params, { form: params['id'] ?? '', state }),
      async perform(params) {
        const { customerId } = sessionOf(params);
        const { id = '' } = params;
        const invoice = await findSandboxInvoice(query, id);
        if (invoice?.customerId !== customerId) throw invalidLink();
        await paySandboxInvoice(context, id);
        return null;
      },
    }),
  ];
}

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
function portalPage({ account, invoices, returnUrl, path, sent }: PortalView): string {
  const { card, details } = account;
  const stateOf = (form: string) => (sent?.form === form ? sent.state : untouched);
  const open = invoices.map(({ id, amountDue, currency }) => {
    const amount = `<p class="amount">${money(amountDue, currency)}</p>`;
    if (card === null) return `${amount}<p class="hint">Add a card below to pay this invoice.</p>`;
    const button = submitButton(`Pay with the ${card.brand} card ending in ${card.last4}`);
    return amount + formOf(`${path}/invoices/${id}/pay`, stateOf(id), button);
  });
  const detailsState = sent?.form === 'details' ? sent.state : { ...untouched, values: valuesOf(details) };
  const content = `<h1>Billing</h1>
      <h2>Open invoices</h2>
      ${open.length === 0 ? '<p>There are no open invoices.</p>' : open.join('\n      ')}
      <h2>Card</h2>
      <p>${card === null ? 'There is no card on file.' : `${card.brand} ending in ${card.last4}`}</p>
      ${formOf(`${path}/card`, stateOf('card'), cardFields(stateOf('card')) + submitButton(card === null ? 'Add the card' : 'Change the card', 'quiet'))}
      <h2>Billing details</h2>
      <p class="hint">The country and the VAT ID determine the taxes of your next invoices.</p>
      ${formOf(`${path}/details`, detailsState, detailsFields(detailsState) + submitButton('Save the billing details', 'quiet'))}
      <p class="back">${linkTo(returnUrl, 'Go back')}</p>`;
  return pageOf({ title: 'Billing', content });
}
