import { beforeAll, describe, expect, test } from 'vitest';
import type { Coupon, NewCheckout } from '../../src/payments/provider.ts';
import { useApp, useClock } from '../support/harness.ts';
import { buy, cardInput, dayMs, newCheckout, price, sandboxOf } from './sandbox-data.ts';

const suite = useApp({ PAYMENT_PROVIDER: 'sandbox', SELLER_COUNTRY: 'DE', TAX_RATES: 'DE=19,AT=20' });
useClock();
const basic = price('basic', 1000);
const recipient = { name: 'Acme GmbH', country: 'DE', line1: 'Zeil 1', city: 'Frankfurt' };

const coupon: Coupon = {
  code: 'TWENTY',
  name: 'Twenty',
  percentOff: 20,
  amountOff: null,
  currency: null,
  duration: 'once',
  durationMonths: null,
  expiresAt: null,
  maxRedemptions: null,
};

let { sandbox, payments } = {} as ReturnType<typeof sandboxOf>;

beforeAll(async () => {
  ({ sandbox, payments } = sandboxOf(suite.app));
  await payments.createCoupon(coupon);
  await payments.createCoupon({ ...coupon, code: 'ALL', percentOff: 100 });
});

async function open(checkout: NewCheckout = newCheckout(basic)) {
  const { id, url } = await payments.createCheckout(checkout);
  return { id, path: new URL(url ?? '').pathname };
}

const show = (path: string) => suite.app.request({ method: 'GET', url: path });
const send = (path: string, payload: object) => suite.app.request({ method: 'POST', url: path, payload });
/** Returns the amounts of a summary, such as `Subtotal €10.00`. */
function amountsOf(html: string): string[] {
  return [...html.matchAll(/<dt>([^<]*)<\/dt><dd>([^<]*)<\/dd>/g)].map(([, name, value]) => `${name} ${value}`);
}

describe('the amounts on the page of a checkout', () => {
  test('the amounts have the discount and the tax by rate, tell what is charged next, and redeem nothing', async () => {
    const { path } = await open();
    const redemptions = await payments.countRedemptions('TWENTY');
    const preview = async (fields: object) => (await send(`${path}/preview`, fields)).body.data;
    expect(amountsOf((await show(path)).text)).toEqual([
      'Subtotal €10.00',
      'Tax Choose your country',
      'Due today €10.00',
      'Then from December 20, 2026, per month €10.00',
    ]);
    const domestic = await preview({ country: 'DE', tax_id: 'DE136695976', coupon: 'twenty' });
    expect(amountsOf(domestic.summary)).toEqual([
      'Subtotal €10.00',
      'Discount TWENTY (20% off, once) -€2.00',
      'VAT 19% (Germany) €1.52',
      'Due today €9.52',
      'Then from December 20, 2026, per month €11.90',
    ]);
    expect([domestic.button, domestic.problems]).toEqual(['Pay €9.52', []]);
    const reverse = await preview({ country: 'AT', tax_id: 'atu 13585627' });
    expect(amountsOf(reverse.summary)).toContain('VAT 0% (Austria, reverse charge) €0.00');
    expect(await payments.countRedemptions('TWENTY')).toBe(redemptions);
    const untaxed = await preview({ country: 'US', tax_id: '12-3456789' });
    expect(amountsOf(untaxed.summary)).toContain('Tax 0% (United States, not collected) €0.00');
  });

  test('a preview names a wrong coupon and a wrong VAT ID, and shows the amounts without them', async () => {
    const { path } = await open();
    const fields = { country: 'AT', tax_id: 'DE136695976', coupon: 'unknown' };
    const { summary, problems } = (await send(`${path}/preview`, fields)).body.data;
    expect(problems).toEqual([
      { field: 'coupon', message: 'There is no coupon UNKNOWN. Check the code.' },
      { field: 'tax_id', message: 'is a VAT ID of another country (DE) than the address (AT)' },
    ]);
    expect(amountsOf(summary)).toContain('Due today €12.00');
  });

  test('a trial is due later, and its page offers to start it', async () => {
    const { path } = await open(newCheckout(basic, 14));
    const page = (await show(path)).text;
    expect(page).toContain('14 days free, then');
    expect(page).toContain('>Start trial</button>');
    const { summary } = (await send(`${path}/preview`, { country: 'DE' })).body.data;
    expect(amountsOf(summary)).toEqual([
      'Subtotal €10.00',
      'VAT 19% (Germany) €1.90',
      'Due on December 4, 2026, after the trial €11.90',
      'Due today €0.00',
      'Then from January 4, 2027, per month €11.90',
    ]);
  });
});

describe('buying on the page of a checkout', () => {
  test('the purchase charges what the page showed, and stores the recipient with a normalised VAT ID', async () => {
    const { id, path } = await open();
    const fields = { ...recipient, tax_id: '136 695 976', postal_code: '', coupon: 'TWENTY' };
    expect((await send(`${path}/pay`, { ...fields, ...cardInput('good') })).status).toBe(200);
    const checkout = await payments.findCheckout(id);
    const [invoice] = await payments.listInvoices(checkout?.subscriptionId ?? '');
    expect(invoice).toMatchObject({ subtotal: 1000, discount: 200, tax: 152, total: 952, couponCode: 'TWENTY' });
    expect(await payments.findCustomerDetails(checkout?.customerId ?? '')).toMatchObject({
      name: 'Acme GmbH',
      taxId: 'DE136695976',
      address: { line1: 'Zeil 1', city: 'Frankfurt', country: 'DE', postal_code: null },
    });
  });

  test.each([
    ['a trial', newCheckout(basic, 14), {}, 'trialing'],
    ['a complete discount', newCheckout(basic), { coupon: 'ALL' }, 'active'],
  ])('%s needs no card', async (_what, checkout, fields, status) => {
    const { id, path } = await open(checkout);
    expect((await send(`${path}/pay`, { ...recipient, ...fields })).status).toBe(200);
    const { subscriptionId } = (await payments.findCheckout(id)) ?? {};
    expect(await payments.findSubscription(subscriptionId ?? '')).toMatchObject({ status, hasPaymentMethod: false });
  });

  test.each([
    [{ ...recipient }, ['card_number', 'expiry', 'cvc']],
    [cardInput('good'), ['name', 'country', 'line1', 'city']],
    [{}, ['name', 'country', 'line1', 'city', 'card_number', 'expiry', 'cvc']],
    [{ ...recipient, ...cardInput('good'), country: 'UK' }, ['country']],
    [{ ...recipient, ...cardInput('good'), city: ' ', line1: '' }, ['line1', 'city']],
    [{ ...recipient, ...cardInput('good'), name: 'a\nb' }, ['name']],
    [{ ...recipient, ...cardInput('good'), tax_id: 'ATU13585627' }, ['tax_id']],
    [{ ...recipient, ...cardInput('good'), coupon: 'NOPE' }, ['coupon']],
    [
      { coupon: 'NOPE', country: 'DE', card_number: '1' },
      ['coupon', 'name', 'line1', 'city', 'card_number', 'expiry', 'cvc'],
    ],
  ])('the purchase with %j is refused at the fields %j', async (fields, names) => {
    const { id, path } = await open();
    const answer = await send(`${path}/pay`, fields);
    expect([answer.status, answer.body.error.details.map(({ field }: { field: string }) => field)]).toEqual([
      422,
      names,
    ]);
    expect((await payments.findCheckout(id))?.status).toBe('open');
  });
});

test('the page leads on after the purchase, and a form for an unknown checkout is a 404', async () => {
  const { id, path } = await open();
  expect((await send(`${path}/pay`, { ...recipient, ...cardInput('declined') })).status).toBe(402);
  expect((await send(`${path}/pay`, { ...recipient, ...cardInput('good') })).status).toBe(200);
  expect((await payments.findCheckout(id))?.status).toBe('complete');
  const page = (await show(path)).text;
  expect(page).toContain('Thank you for your payment');
  expect(page).toContain('<meta http-equiv="refresh" content="3; url=http://localhost/done">');
  expect((await send('/sandbox/checkout/cs_unknown/pay', {})).status).toBe(404);
  expect((await send('/sandbox/checkout/cs_unknown/preview', {})).status).toBe(404);
});

describe('the billing details in the portal', () => {
  test('a change of the address in the portal changes the tax of the next invoice', async () => {
    const { customerId, subscriptionId } = await buy(suite.app, basic, 'good');
    const path = new URL((await payments.createBillingPortalSession(customerId, 'http://localhost/billing')).url)
      .pathname;
    const wrong = await send(`${path}/details`, { ...recipient, tax_id: 'DE1' });
    expect([wrong.status, wrong.body.error.details[0].field]).toEqual([422, 'tax_id']);
    expect((await send(`${path}/details`, {})).status).toBe(422);
    expect((await send(`${path}/details`, recipient)).status).toBe(200);
    expect((await show(path)).text).toContain('value="Frankfurt"');
    await sandbox.advanceClock({ byMs: 31 * dayMs });
    const [renewal] = await payments.listInvoices(subscriptionId);
    expect(renewal).toMatchObject({ total: 1190, taxes: [{ country: 'DE', ratePercent: 19, amount: 190 }] });
  });
});
