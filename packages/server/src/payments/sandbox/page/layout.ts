import type { OpenCheckout } from '../checkouts.ts';
import type { Account, SandboxInvoice } from '../state.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** Formats an amount in minor units, such as `€10.00`. */
function money(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: currency.toUpperCase() });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** Returns an HTML page. `title` is text, `content` is HTML, and `base` is the path of the service's public URL. */
function pageOf(base: string, title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title>${escapeHtml(title)}</title>
    <link rel="stylesheet" href="${base}/pages/page.css">
    <link rel="stylesheet" href="${base}/sandbox/page.css">
    <script type="module" src="${base}/sandbox/page.js"></script>
  </head>
  <body>
    <main>
      <p class="notice">Sandbox: no money moves. Use a test card such as 4242 4242 4242 4242, never a real one.</p>
      <h1>${escapeHtml(title)}</h1>
      ${content}
      <noscript><p>This page needs JavaScript.</p></noscript>
    </main>
  </body>
</html>
`;
}

const cardFields = `
        <label>Card number <input name="card_number" inputmode="numeric" autocomplete="off" required maxlength="30"></label>
        <div class="pair">
          <label>Expiry <input name="expiry" placeholder="MM/YY" autocomplete="off" required maxlength="9"></label>
          <label>CVC <input name="cvc" inputmode="numeric" autocomplete="off" required maxlength="4"></label>
        </div>`;

function form(action: string, fields: string, button: string, kind = ''): string {
  return `<form data-action="${escapeHtml(action)}">${fields}
        <button type="submit"${kind}>${escapeHtml(button)}</button>
        <p class="outcome" role="status"></p>
      </form>`;
}

function link(url: string, text: string): string {
  return `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`;
}

/** Returns the page of a checkout. `action` is the path to which its form posts. */
export function checkoutPage(base: string, action: string, { status, terms }: OpenCheckout): string {
  const { price, successUrl, cancelUrl } = terms;
  if (status === 'complete') return pageOf(base, 'This checkout is paid', link(successUrl, 'Continue'));
  if (status === 'expired') return pageOf(base, 'This checkout has expired', link(cancelUrl, 'Back'));
  const amount = `<p class="amount">${money(price.amount, price.currency)} per ${price.interval}</p>`;
  const content = amount + form(action, cardFields, 'Pay') + link(cancelUrl, 'Cancel');
  return pageOf(base, price.planName, content);
}

/** Returns the page of an invoice. Anybody with its URL may pay it. */
export function invoicePage(base: string, action: string, invoice: SandboxInvoice): string {
  if (invoice.status !== 'open') return pageOf(base, `This invoice is ${invoice.status}`, '');
  const amount = `<p class="amount">${money(invoice.amountDue, invoice.currency)}</p>`;
  return pageOf(base, 'Pay an invoice', amount + form(action, cardFields, 'Pay'));
}

/** The content of the portal page. */
export interface PortalView {
  readonly account: Account;
  readonly invoices: readonly SandboxInvoice[];
  readonly returnUrl: string;
}

/** Returns the page on which a customer changes the card and pays open invoices. */
export function portalPage(base: string, action: string, { account, invoices, returnUrl }: PortalView): string {
  const { card } = account;
  const open = invoices.map(({ id, amountDue, currency }) => {
    const amount = `<p class="amount">${money(amountDue, currency)}</p>`;
    const payForm = (text: string) => form(`${action}/invoices/${id}/pay`, '', text);
    return amount + (card === null ? '' : payForm(`Pay with the ${card.brand} card ending in ${card.last4}`));
  });
  const content = [
    open.length === 0 ? '<p>No invoice is open.</p>' : `<h2>Open invoices</h2>${open.join('')}`,
    `<h2>Card</h2><p>${card === null ? 'There is no card.' : `${card.brand} ending in ${card.last4}`}</p>`,
    form(`${action}/card`, cardFields, card === null ? 'Add the card' : 'Change the card', ' class="quiet"'),
    link(returnUrl, 'Back'),
  ];
  return pageOf(base, 'Billing', content.join('\n      '));
}

/** Returns the page for an unknown, invalid or expired URL. */
export function notFoundPage(base: string): string {
  return pageOf(
    base,
    'This link is not valid',
    '<p>The link may have expired. Open it again from the page or mail that you got it from.</p>',
  );
}
