import { beforeEach, describe, expect, test } from 'vitest';
import { useApp, useClock } from '../support/harness.ts';
import { buy, cardInput, dayMs, newCheckout, price, sandboxOf } from './sandbox-data.ts';

const suite = useApp({ PAYMENT_PROVIDER: 'sandbox' });
const clock = useClock();
const basic = price('basic', 1000);

let { sandbox, payments } = {} as ReturnType<typeof sandboxOf>;

beforeEach(() => {
  ({ sandbox, payments } = sandboxOf(suite.app));
});

const pathOf = (url: string | null | undefined) => new URL(url ?? '').pathname;
const show = (path: string) => suite.app.request({ method: 'GET', url: path });
const send = (path: string, payload: object) => suite.app.request({ method: 'POST', url: path, payload });

/** Returns the paths to which a page's forms post. */
function actionsOf(html: string): string[] {
  return [...html.matchAll(/data-action="([^"]+)"/g)].map(([, action]) => action ?? '');
}

async function openInvoice() {
  const bought = await buy(suite.app, basic, 'failsLater');
  await sandbox.advanceClock({ byMs: 31 * dayMs });
  const [invoice] = await payments.listInvoices(bought.subscriptionId);
  if (invoice === undefined || invoice.status !== 'open') throw new Error('No invoice is open.');
  return { ...bought, invoice };
}

const statusOf = async (subscriptionId: string) => (await payments.listInvoices(subscriptionId))[0]?.status;

describe('the page of a checkout', () => {
  test('the checkout page takes a test card and redirects, with a policy that allows no foreign content', async () => {
    const { id, url } = await payments.createCheckout(newCheckout({ ...basic, planName: '<script>alert(1)</script>' }));
    const page = await show(pathOf(url));
    expect(page.status).toBe(200);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.text).not.toContain('<script>alert');
    expect(page.text).toContain('€10.00 per month');
    const [action = ''] = actionsOf(page.text);
    const paid = await send(action, cardInput('good'));
    expect([paid.status, paid.body.data.redirect_url]).toEqual([200, 'http://localhost/done']);
    expect((await payments.findCheckout(id))?.status).toBe('complete');
    const afterwards = await show(pathOf(url));
    expect([afterwards.status, actionsOf(afterwards.text)]).toEqual([200, []]);
  });

  test.each([
    [{ card_number: '4111 1111 1111 1111' }, 'card_number'],
    [{ card_number: 'constructor' }, 'card_number'],
    [{ expiry: '10/26' }, 'expiry'],
    [{ expiry: '13/30' }, 'expiry'],
    [{ cvc: '12' }, 'cvc'],
    [{ extra: '' }, 'extra'],
  ])('the checkout page refuses %j and names the field', async (fields, field) => {
    const { url } = await payments.createCheckout(newCheckout(basic));
    const answer = await send(`${pathOf(url)}/pay`, { ...cardInput('good'), ...fields });
    expect(answer.status).toBe(422);
    expect(answer.body.error.details.map((detail: { field: string }) => detail.field)).toEqual([field]);
  });

  test.each(['12/34', '12 / 34', '1234', '12-34', '12 34', '12/2034', '122034', '1/34'])(
    'the checkout page accepts the expiry %s',
    async (expiry) => {
      const { url } = await payments.createCheckout(newCheckout(basic));
      expect((await send(`${pathOf(url)}/pay`, { ...cardInput('good'), expiry })).status).toBe(200);
    },
  );

  test('the checkout page reports a declined card and an expired checkout', async () => {
    const { id, url } = await payments.createCheckout(newCheckout(basic));
    const declined = await send(`${pathOf(url)}/pay`, cardInput('declined'));
    expect([declined.status, declined.body.error.code]).toEqual([402, 'BILLING.PAYMENT_FAILED']);
    await payments.expireCheckout(id);
    const late = await send(`${pathOf(url)}/pay`, cardInput('good'));
    expect([late.status, late.body.error.code]).toEqual([409, 'BILLING.REFUSED']);
  });
});

describe('the page of an invoice', () => {
  test('an invoice page takes another card without a login, once', async () => {
    const { subscriptionId, invoice } = await openInvoice();
    const [action = ''] = actionsOf((await show(pathOf(invoice.paymentUrl))).text);
    expect((await send(action, cardInput('declined'))).status).toBe(402);
    expect(await statusOf(subscriptionId)).toBe('open');
    const paid = await Promise.all([send(action, cardInput('good')), send(action, cardInput('good'))]);
    expect(paid.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await payments.findSubscription(subscriptionId)).toMatchObject({ status: 'active' });
    expect((await show(pathOf(invoice.paymentUrl))).text).toContain('This invoice is paid');
  });

  test("an invoice page is a 404 without its token and with another invoice's token", async () => {
    const [one, other] = [await openInvoice(), await openInvoice()];
    const token = pathOf(other.invoice.paymentUrl).split('/').at(-1);
    for (const guess of ['x', '0'.repeat(32), token]) {
      const path = `/sandbox/invoices/${one.invoice.id}/${guess}`;
      expect((await show(path)).status).toBe(404);
      expect((await send(`${path}/pay`, cardInput('good'))).status).toBe(404);
    }
    const invoices = await payments.listInvoices(one.subscriptionId);
    expect(invoices.find(({ id }) => id === one.invoice.id)?.status).toBe('open');
  });
});

describe('the portal', () => {
  test('the portal changes the card and pays open invoices', async () => {
    const { subscriptionId, customerId } = await openInvoice();
    const { url } = await payments.createBillingPortalSession(customerId, 'http://localhost/billing');
    const [pay = '', change = ''] = actionsOf((await show(pathOf(url))).text);
    expect((await send(pay, {})).status).toBe(402);
    expect((await send(change, cardInput('insufficient'))).status).toBe(402);
    expect((await send(change, cardInput('good'))).status).toBe(200);
    expect((await send(pay, {})).status).toBe(200);
    expect(await statusOf(subscriptionId)).toBe('paid');
    expect((await show(pathOf(url))).text).toContain('ending in 4242');
  });

  test("the portal does not pay another customer's invoices, and expires after an hour", async () => {
    const [one, other] = [await openInvoice(), await openInvoice()];
    const { url } = await payments.createBillingPortalSession(one.customerId, 'http://localhost/billing');
    expect((await send(`${pathOf(url)}/invoices/${other.invoice.id}/pay`, {})).status).toBe(404);
    clock.advance(3_600_000);
    expect((await show(pathOf(url))).status).toBe(404);
    expect((await send(`${pathOf(url)}/card`, cardInput('good'))).status).toBe(404);
    expect((await show('/sandbox/portal/nonsense')).status).toBe(404);
  });
});
