import type { RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { pageFile } from '../../../http/hosted-page.ts';
import { validationError } from '../../../lib/error.ts';
import { paySandboxInvoice } from '../accounts.ts';
import { isInvoiceToken } from '../checkouts.ts';
import { readNow } from '../clock.ts';
import type { SandboxContext } from '../context.ts';
import { findSandboxInvoice } from '../store.ts';
import { invoicePage } from './checkout-page.ts';
import { checkoutRoutes } from './checkout-routes.ts';
import { CardFields, missingCard, readCardFields } from './form-input.ts';
import { formRoute, invalidLink, type Params, pageRoute, requireValue } from './form-route.ts';
import type { FormState } from './html.ts';
import { portalRoutes } from './portal-routes.ts';

const InvoicePath = Type.Object({ id: Type.String({ maxLength: 100 }), token: Type.String({ maxLength: 100 }) });

/** Registers the pages of the sandbox. They need no login, because their URLs cannot be guessed. */
export function sandboxPageRoutes(context: SandboxContext): RouteOptions[] {
  return [...assetRoutes(), ...checkoutRoutes(context), ...invoiceRoutes(context), ...portalRoutes(context)];
}

const ownFile = (name: string) => new URL(`./${name}`, import.meta.url);

function assetRoutes(): RouteOptions[] {
  return [
    pageFile('/sandbox/page.css', ownFile('page.css'), 'css'),
    pageFile('/sandbox/page.js', ownFile('page.js'), 'js'),
  ];
}

function invoiceRoutes(context: SandboxContext): RouteOptions[] {
  const pathOf = ({ id = '', token = '' }: Params) => `/sandbox/invoices/${id}/${token}`;
  async function show(params: Params, state: FormState = { values: {}, problems: [] }): Promise<string | undefined> {
    const { id = '', token = '' } = params;
    if (!isInvoiceToken(context, id, token)) return undefined;
    const invoice = await findSandboxInvoice(context.platform.query, id);
    return invoice && invoicePage(pathOf(params), invoice, state);
  }
  return [
    pageRoute('/sandbox/invoices/:id/:token', show),
    formRoute({
      summary: 'Pay an invoice',
      url: '/sandbox/invoices/:id/:token/pay',
      params: InvoicePath,
      body: CardFields,
      show,
      pagePath: pathOf,
      async perform({ id = '', token = '' }, values) {
        if (!isInvoiceToken(context, id, token)) throw invalidLink();
        const card = requireValue(readCardFields(values, await readNow(context.platform.query, context.clock)));
        if (card === null) throw validationError(...missingCard);
        await paySandboxInvoice(context, id, card);
        return null;
      },
    }),
  ];
}
