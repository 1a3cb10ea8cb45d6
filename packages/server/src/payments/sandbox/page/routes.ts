import type { RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { pageFile, sendHtml } from '../../../http/hosted-page.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import { Nullable, strictObject } from '../../../http/schema.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import { toAppError } from '../../call-provider.ts';
import { PaymentProviderError } from '../../provider.ts';
import { attachCard, changeAccount, paySandboxInvoice } from '../accounts.ts';
import { type Card, type CardInput, readCard } from '../cards.ts';
import { findOpenCheckout, payCheckout } from '../checkouts.ts';
import { readNow } from '../clock.ts';
import type { SandboxContext } from '../context.ts';
import { isInvoiceToken, type PortalSession, readPortalToken } from '../page-urls.ts';
import { findAccount, findSandboxInvoice, listOpenInvoices } from '../store.ts';
import { checkoutPage, invoicePage, notFoundPage, portalPage } from './layout.ts';

const tags = ['Payment sandbox'] as const;

const CardFields = strictObject({
  card_number: Type.String({ maxLength: 30 }),
  expiry: Type.String({ maxLength: 9 }),
  cvc: Type.String({ maxLength: 4 }),
});
const NoFields = strictObject({});
const Redirect = Envelope(
  Type.Object({ redirect_url: Nullable(Type.String({ description: 'Null to reload the page.' })) }),
);
const IdPath = Type.Object({ id: Type.String({ maxLength: 100 }) });
const InvoicePath = Type.Object({ id: Type.String({ maxLength: 100 }), token: Type.String({ maxLength: 100 }) });
const PortalPath = Type.Object({ token: Type.String({ maxLength: 512 }) });
const PortalInvoicePath = Type.Object({ token: Type.String({ maxLength: 512 }), id: Type.String({ maxLength: 100 }) });

function invalidLink(): AppError {
  return new AppError(
    'RESOURCE.NOT_FOUND',
    'This link is not valid or has expired. Open it again from the page or mail that you got it from.',
  );
}

/** Converts an error of the sandbox to the error of the API. Returns any other error unchanged. */
function toPageError(error: unknown): unknown {
  if (!(error instanceof PaymentProviderError)) return error;
  if (error.reason === 'not_found') return invalidLink();
  return toAppError(error, error.message);
}

/** Awaits work of a page, and converts its errors. */
async function perform<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw toPageError(error);
  }
}

/** Returns the card of a form. Throws 422 for invalid fields, before anything is read. */
async function cardOf(context: SandboxContext, input: CardInput): Promise<Card> {
  const card = readCard(input, await readNow(context.platform.query, context.clock));
  if ('last4' in card) return card;
  throw validationError(...card);
}

/** Registers the pages of the sandbox. They need no login, because their URLs cannot be guessed. */
export function sandboxPageRoutes(context: SandboxContext): RouteOptions[] {
  return [...assetRoutes(), ...checkoutRoutes(context), ...invoiceRoutes(context), ...portalRoutes(context)];
}

const ownFile = (name: string) => new URL(`./${name}`, import.meta.url);

/** Registers the style and the script of these pages alone; the common style is served elsewhere. */
function assetRoutes(): RouteOptions[] {
  return [
    pageFile('/sandbox/page.css', ownFile('page.css'), 'css'),
    pageFile('/sandbox/page.js', ownFile('page.js'), 'js'),
  ];
}

/** Returns the path of the public URL: a proxy may serve the service under a path. */
function baseOf({ publicUrl }: SandboxContext): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, '');
}

function pageRoute(url: string, show: (params: Record<string, string>) => Promise<string | undefined>, base: string) {
  const route: RouteOptions = {
    method: 'GET',
    url,
    schema: { hide: true },
    async handler(request, reply) {
      const page = await show(request.params as Record<string, string>);
      return page === undefined ? sendHtml(reply, notFoundPage(base), 404) : sendHtml(reply, page);
    },
  };
  return route;
}

function checkoutRoutes(context: SandboxContext): RouteOptions[] {
  const base = baseOf(context);
  async function show({ id = '' }: Record<string, string>): Promise<string | undefined> {
    const checkout = await findOpenCheckout(context, id);
    return checkout && checkoutPage(base, `${base}/sandbox/checkout/${id}/pay`, checkout);
  }
  return [
    pageRoute('/sandbox/checkout/:id', show, base),
    publicRoute({
      method: 'POST',
      url: '/sandbox/checkout/:id/pay',
      schema: {
        summary: 'Pay a checkout',
        tags,
        hide: true,
        params: IdPath,
        body: CardFields,
        response: { 200: Redirect },
      },
      async handler({ request }) {
        const card = await cardOf(context, request.body);
        return success(request, {
          redirect_url: await perform(payCheckout(context, request.params.id, { card, coupon: null, details: null })),
        });
      },
    }),
  ];
}

function invoiceRoutes(context: SandboxContext): RouteOptions[] {
  const base = baseOf(context);
  async function show({ id = '', token = '' }: Record<string, string>): Promise<string | undefined> {
    if (!isInvoiceToken(context, id, token)) return undefined;
    const invoice = await findSandboxInvoice(context.platform.query, id);
    return invoice && invoicePage(base, `${base}/sandbox/invoices/${id}/${token}/pay`, invoice);
  }
  return [
    pageRoute('/sandbox/invoices/:id/:token', show, base),
    publicRoute({
      method: 'POST',
      url: '/sandbox/invoices/:id/:token/pay',
      schema: {
        summary: 'Pay an invoice',
        tags,
        hide: true,
        params: InvoicePath,
        body: CardFields,
        response: { 200: Redirect },
      },
      async handler({ request }) {
        const { id, token } = request.params;
        if (!isInvoiceToken(context, id, token)) throw invalidLink();
        const card = await cardOf(context, request.body);
        await perform(paySandboxInvoice(context, id, card));
        return success(request, { redirect_url: null });
      },
    }),
  ];
}

function portalRoutes(context: SandboxContext): RouteOptions[] {
  const base = baseOf(context);
  const { query } = context.platform;

  async function show({ token = '' }: Record<string, string>): Promise<string | undefined> {
    const session = readPortalToken(context, token);
    if (session === undefined) return undefined;
    const account = await findAccount(query, { customer_id: session.customerId });
    if (account === undefined) return undefined;
    const invoices = await listOpenInvoices(query, session.customerId);
    const { returnUrl } = session;
    return portalPage(base, `${base}/sandbox/portal/${token}`, { account, invoices, returnUrl });
  }

  function sessionOf(token: string): PortalSession {
    const session = readPortalToken(context, token);
    if (session === undefined) throw invalidLink();
    return session;
  }

  return [
    pageRoute('/sandbox/portal/:token', show, base),
    publicRoute({
      method: 'POST',
      url: '/sandbox/portal/:token/card',
      schema: {
        summary: 'Change the card',
        tags,
        hide: true,
        params: PortalPath,
        body: CardFields,
        response: { 200: Redirect },
      },
      async handler({ request }) {
        const { customerId } = sessionOf(request.params.token);
        const card = await cardOf(context, request.body);
        const name = { customer_id: customerId };
        await perform(changeAccount(context, name, (work, at) => attachCard(work, card, at)));
        return success(request, { redirect_url: null });
      },
    }),
    publicRoute({
      method: 'POST',
      url: '/sandbox/portal/:token/invoices/:id/pay',
      schema: {
        summary: 'Pay an invoice with the card',
        tags,
        hide: true,
        params: PortalInvoicePath,
        body: NoFields,
        response: { 200: Redirect },
      },
      async handler({ request }) {
        const { token, id } = request.params;
        const { customerId } = sessionOf(token);
        const invoice = await findSandboxInvoice(query, id);
        if (invoice?.customerId !== customerId) throw invalidLink();
        await perform(paySandboxInvoice(context, id));
        return success(request, { redirect_url: null });
      },
    }),
  ];
}
