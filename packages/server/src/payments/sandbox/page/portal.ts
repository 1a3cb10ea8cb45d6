import type { RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { strictObject } from '../../../http/schema.ts';
import { fieldRequired, validationError } from '../../../lib/error.ts';
import { readNow } from '../clock.ts';
import type { SandboxContext } from '../context.ts';
import { attachCard } from '../invoices.ts';
import { isInvoiceToken, readPortalToken } from '../links.ts';
import { paySandboxInvoice } from '../provider-calls.ts';
import { type Account, recordEvent, type SandboxInvoice } from '../state.ts';
import { changeAccount, findAccount, findSandboxInvoice, listOpenInvoices } from '../store.ts';
import {
  CardFields,
  DetailsFields,
  formRoute,
  invalidLink,
  type Params,
  pageRoute,
  readDetails,
  requireCard,
  requireValue,
} from './forms.ts';
import { cardFields, detailsFields, formOf, linkTo, money, pageOf, submitButton } from './html.ts';

const InvoicePath = Type.Object({ id: Type.String({ maxLength: 100 }), token: Type.String({ maxLength: 100 }) });

/** Registers the page on which anybody with its URL pays an invoice. */
export function invoiceRoutes(context: SandboxContext): RouteOptions[] {
  const { query } = context.platform;
  return [
    pageRoute('/sandbox/invoices/:id/:token', async ({ id = '', token = '' }) => {
      if (!isInvoiceToken(context, id, token)) return undefined;
      const invoice = await findSandboxInvoice(query, id);
      return invoice && invoicePage(`/sandbox/invoices/${id}/${token}`, invoice);
    }),
    formRoute({
      summary: 'Pay an invoice',
      url: '/sandbox/invoices/:id/:token/pay',
      params: InvoicePath,
      body: CardFields,
      async perform({ id = '', token = '' }, values) {
        if (!isInvoiceToken(context, id, token)) throw invalidLink();
        await paySandboxInvoice(context, id, requireCard(values, await readNow(query, context.clock)));
        return null;
      },
    }),
  ];
}

function invoicePage(path: string, invoice: SandboxInvoice): string {
  if (invoice.status !== 'open') {
    const title = `This invoice is ${invoice.status}`;
    const back = linkTo('/billing', 'Go to billing', 'button');
    return pageOf({ title, content: `<h1>${title}</h1><p>There is nothing to pay.</p>${back}` });
  }
  const amount = money(invoice.amountDue, invoice.currency);
  const form = formOf(`${path}/pay`, cardFields() + submitButton(`Pay ${amount}`));
  return pageOf({ title: 'Pay invoice', content: `<h1>Pay invoice</h1><p class="amount">${amount}</p>${form}` });
}

const PortalPath = Type.Object({ token: Type.String({ maxLength: 512 }) });
const PortalInvoicePath = Type.Object({ token: Type.String({ maxLength: 512 }), id: Type.String({ maxLength: 100 }) });

/** Registers the page on which a customer pays open invoices, and changes the card and the billing details. */
export function portalRoutes(context: SandboxContext): RouteOptions[] {
  const { query } = context.platform;
  function customerOf({ token = '' }: Params): string {
    const session = readPortalToken(context, token);
    if (session === undefined) throw invalidLink();
    return session.customerId;
  }
  return [
    pageRoute('/sandbox/portal/:token', async ({ token = '' }) => {
      const session = readPortalToken(context, token);
      const account = session && (await findAccount(query, session.customerId));
      if (account === undefined) return undefined;
      const invoices = await listOpenInvoices(query, account.customerId);
      return portalPage(`/sandbox/portal/${token}`, account, invoices, session?.returnUrl ?? '');
    }),
    formRoute({
      summary: 'Change the card',
      url: '/sandbox/portal/:token/card',
      params: PortalPath,
      body: CardFields,
      async perform(params, values) {
        const customerId = customerOf(params);
        const card = requireCard(values, await readNow(query, context.clock));
        await changeAccount(context, customerId, (work, at) => attachCard(work, card, at));
        return null;
      },
    }),
    formRoute({
      summary: 'Change the billing details',
      url: '/sandbox/portal/:token/details',
      params: PortalPath,
      body: DetailsFields,
      async perform(params, values) {
        const customerId = customerOf(params);
        await changeAccount(context, customerId, (work, at) => {
          const details = requireValue(readDetails(values, work.account.details?.email ?? ''));
          if (details === null) throw validationError({ field: 'name', message: fieldRequired });
          work.account.details = details;
          recordEvent(work, 'customer.updated', at, customerId);
        });
        return null;
      },
    }),
    formRoute({
      summary: 'Pay an invoice with the card',
      url: '/sandbox/portal/:token/invoices/:id/pay',
      params: PortalInvoicePath,
      body: strictObject({}),
      async perform(params) {
        const { id = '' } = params;
        const invoice = await findSandboxInvoice(query, id);
        if (invoice?.customerId !== customerOf(params)) throw invalidLink();
        await paySandboxInvoice(context, id);
        return null;
      },
    }),
  ];
}

function portalPage(
  path: string,
  { card, details }: Account,
  invoices: readonly SandboxInvoice[],
  returnUrl: string,
): string {
  const open = invoices.map(({ id, amountDue, currency }) => {
    const amount = `<p class="amount">${money(amountDue, currency)}</p>`;
    if (card === null) return `${amount}<p class="hint">Add a card below to pay this invoice.</p>`;
    const button = submitButton(`Pay with the ${card.brand} card ending in ${card.last4}`);
    return amount + formOf(`${path}/invoices/${id}/pay`, button);
  });
  const shown = Object.entries({ ...details?.address, name: details?.name, tax_id: details?.taxId });
  const values = Object.fromEntries(shown.map(([name, value]) => [name, value ?? '']));
  const content = `<h1>Billing</h1>
      <h2>Open invoices</h2>
      ${open.length === 0 ? '<p>There are no open invoices.</p>' : open.join('\n      ')}
      <h2>Card</h2>
      <p>${card === null ? 'There is no card on file.' : `${card.brand} ending in ${card.last4}`}</p>
      ${formOf(`${path}/card`, cardFields() + submitButton(card === null ? 'Add the card' : 'Change the card', 'quiet'))}
      <h2>Billing details</h2>
      <p class="hint">The country and the VAT ID determine the taxes of your next invoices.</p>
      ${formOf(`${path}/details`, detailsFields(values) + submitButton('Save the billing details', 'quiet'))}
      <p class="back">${linkTo(returnUrl, 'Go back')}</p>`;
  return pageOf({ title: 'Billing', content });
}
