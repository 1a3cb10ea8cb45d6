import type { RouteOptions } from 'fastify';
import { NoFields } from '../../../http/schema.ts';
import { orThrow } from '../../../lib/error.ts';
import { readNow } from '../clock.ts';
import type { SandboxContext } from '../context.ts';
import { attachCard } from '../invoices.ts';
import { isInvoiceToken, type PortalSession, readPortalToken } from '../links.ts';
import { paySandboxInvoice } from '../provider-calls.ts';
import { type Account, recordEvent, type SandboxInvoice } from '../state.ts';
import { changeAccount, findAccount, findSandboxInvoice, listOpenInvoices } from '../store.ts';
import {
  bodyOf,
  cardFields,
  detailsFields,
  type FormValues,
  fieldsHtml,
  readCard,
  readDetails,
  requireValue,
} from './fields.ts';
import { formRoute, invalidLink, type Params, pageRoute } from './forms.ts';
import { formOf, linkTo, messagePage, money, pageOf, submitButton } from './html.ts';

async function requireCard({ platform, clock }: SandboxContext, values: FormValues) {
  return requireValue(readCard(values, await readNow(platform.query, clock)));
}

const reload = { redirect_url: null };

/** Registers the page on which anybody with its URL pays an invoice. */
export function invoiceRoutes(context: SandboxContext): RouteOptions[] {
  const url = '/sandbox/invoices/:id/:token';
  async function read({ id = '', token = '' }: Params): Promise<SandboxInvoice> {
    const invoice = await findSandboxInvoice(context.platform.query, id);
    if (invoice === undefined || !isInvoiceToken(context, id, token)) throw invalidLink();
    return invoice;
  }
  return [
    pageRoute(url, async (params) =>
      invoicePage(await read(params), `/sandbox/invoices/${params['id']}/${params['token']}`),
    ),
    formRoute({
      summary: 'Pay an invoice',
      url: `${url}/pay`,
      body: bodyOf(cardFields),
      async perform(params, values) {
        const { id } = await read(params);
        await paySandboxInvoice(context, id, await requireCard(context, values));
        return reload;
      },
    }),
  ];
}

function invoicePage(invoice: SandboxInvoice, path: string): string {
  if (invoice.status !== 'open') {
    const back = linkTo('/billing', 'Go to billing', 'button');
    return messagePage(`This invoice is ${invoice.status}`, 'There is nothing to pay.', back);
  }
  const amount = money(invoice.amountDue, invoice.currency);
  const form = formOf(`${path}/pay`, fieldsHtml(cardFields) + submitButton(`Pay ${amount}`));
  return pageOf('Pay invoice', `<h1>Pay invoice</h1><p class="amount">${amount}</p>${form}`);
}

/** Registers the page on which a customer pays open invoices, and changes the card and the billing details. */
export function portalRoutes(context: SandboxContext): RouteOptions[] {
  const { query } = context.platform;
  const url = '/sandbox/portal/:token';
  function read({ token = '' }: Params): PortalSession {
    const session = orThrow(readPortalToken(context, token), invalidLink);
    return session;
  }
  return [
    pageRoute(url, async (params) => {
      const { customerId, returnUrl } = read(params);
      const account = orThrow(await findAccount(query, customerId), invalidLink);
      const invoices = await listOpenInvoices(query, customerId);
      return portalPage(`/sandbox/portal/${params['token']}`, account, invoices, returnUrl);
    }),
    formRoute({
      summary: 'Change the card',
      url: `${url}/card`,
      body: bodyOf(cardFields),
      async perform(params, values) {
        const { customerId } = read(params);
        const card = await requireCard(context, values);
        await changeAccount(context, customerId, (work, at) => attachCard(work, card, at));
        return reload;
      },
    }),
    formRoute({
      summary: 'Change the billing details',
      url: `${url}/details`,
      body: bodyOf(detailsFields),
      async perform(params, values) {
        const { customerId } = read(params);
        await changeAccount(context, customerId, (work, at) => {
          work.account.details = requireValue(readDetails(values, work.account.details?.email ?? ''));
          recordEvent(work, 'customer.updated', at, customerId);
        });
        return reload;
      },
    }),
    formRoute({
      summary: 'Pay an invoice with the card',
      url: `${url}/invoices/:id/pay`,
      body: NoFields,
      async perform(params) {
        const { id = '' } = params;
        const invoice = await findSandboxInvoice(query, id);
        if (invoice?.customerId !== read(params).customerId) throw invalidLink();
        await paySandboxInvoice(context, id);
        return reload;
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
      ${formOf(`${path}/card`, fieldsHtml(cardFields) + submitButton(card === null ? 'Add the card' : 'Change the card', 'quiet'))}
      <h2>Billing details</h2>
      <p class="hint">The country and the VAT ID determine the taxes of your next invoices.</p>
      ${formOf(`${path}/details`, fieldsHtml(detailsFields, values) + submitButton('Save the billing details', 'quiet'))}
      <p class="back">${linkTo(returnUrl, 'Go back')}</p>`;
  return pageOf('Billing', content);
}
