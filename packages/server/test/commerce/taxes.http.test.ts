import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { cardInput, sandboxOf } from '../payments/sandbox-data.ts';
import { useAdmin } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { type BillingTenant, createBillingTenant, monthlyAndYearly, type Offer, offerPlan } from './buyers.ts';

useClock();
const suite = useAdmin({
  PAYMENT_PROVIDER: 'sandbox',
  SELLER_NAME: 'Key & Sons',
  SELLER_COUNTRY: 'DE',
  SELLER_TAX_ID: 'DE136695976',
  TAX_RATES: 'DE=19,AT=20',
});
let basic: Offer;
let pro: Offer;

beforeAll(async () => {
  basic = await offerPlan(suite.app, suite.admin, monthlyAndYearly(1000, 'eur'));
  pro = await offerPlan(suite.app, suite.admin, monthlyAndYearly(3000, 'eur'));
  await sandboxOf(suite.app).payments.createCoupon({
    ...{ code: 'HALF', name: 'Half', percentOff: 50, amountOff: null, currency: null },
    ...{ duration: 'forever', durationMonths: null, expiresAt: null, maxRedemptions: null },
  });
});

/** Creates a tenant that has bought the basic plan on the page of the checkout. */
async function buyOnPage(fields: object): Promise<BillingTenant> {
  const buyer = await createBillingTenant(suite.app, suite.admin);
  const { checkout_url } = (await buyer.bill('PUT', '/plan', { plan_code: basic.code })).body.data;
  const recipient = { name: 'Acme GmbH', line1: 'Ring 1', city: 'Wien', ...fields };
  const url = `${new URL(checkout_url).pathname}/pay`;
  const paid = await suite.app.request({ method: 'POST', url, payload: { ...recipient, ...cardInput('good') } });
  expect(paid.status).toBe(200);
  await buyer.settle();
  return buyer;
}

const invoicesOf = async (buyer: BillingTenant) => (await buyer.bill('GET', '/invoices')).body.data;

test('the details of the checkout become those of the tenant and of its invoice, with the email address of the owner', async () => {
  const buyer = await buyOnPage({ country: 'AT', tax_id: 'atu 12345678' });
  const details = { name: 'Acme GmbH', email: buyer.tenant.owner.email, tax_id: 'ATU12345678' };
  const overview = (await buyer.bill('GET', '/overview')).body.data;
  expect(overview.details).toMatchObject({ ...details, address: { line1: 'Ring 1', city: 'Wien', country: 'AT' } });
  const [invoice] = await invoicesOf(buyer);
  expect(invoice.customer).toEqual(overview.details);
  expect(invoice).toMatchObject({ subtotal: 1000, tax: 0, total: 1000, amount_paid: 1000 });
  expect(invoice.taxes).toEqual([{ country: 'AT', rate: 0, treatment: 'reverse_charge', base: 1000, amount: 0 }]);
});

test('billing details that are changed in the portal become those of the tenant, and a later change here wins', async () => {
  const buyer = await buyOnPage({ country: 'AT', tax_id: 'ATU12345678' });
  const email = 'billing@example.com';
  await buyer.bill('PUT', '/details', { email });
  const { url } = (await buyer.bill('GET', '/portal-session')).body.data;
  const payload = { name: 'Acme Ltd', line1: 'Zeil 1', city: 'Frankfurt', country: 'DE' };
  const changed = await suite.app.request({ method: 'POST', url: `${new URL(url).pathname}/details`, payload });
  expect(changed.status).toBe(200);
  await buyer.settle();
  const overview = (await buyer.bill('GET', '/overview')).body.data;
  expect(overview.details).toMatchObject({ name: 'Acme Ltd', email, address: { country: 'DE' }, tax_id: null });
  expect(overview.next_invoice).toMatchObject({ tax: 190 });
  await buyer.bill('PUT', '/details', { name: 'Acme AG' });
  await buyer.settle();
  expect((await buyer.bill('GET', '/overview')).body.data.details).toMatchObject({ name: 'Acme AG', email });
});

test('an invoice with a reverse charge has the note and both VAT IDs', async () => {
  const buyer = await buyOnPage({ country: 'AT', tax_id: 'ATU12345678' });
  const [{ id }] = await invoicesOf(buyer);
  const page = (await buyer.bill('GET', `/invoices/${id}/html`)).text;
  for (const part of [
    'VAT 0% on EUR 10.00 (reverse charge)',
    'Reverse charge: the recipient owes the VAT.',
    'VAT ID of the seller: DE136695976',
    'VAT ID of the recipient: ATU12345678',
    'Austria',
  ]) {
    expect(page).toContain(part);
  }
});

test('an invoice shows the discount with its coupon, and each tax with rate, base and amount', async () => {
  const buyer = await buyOnPage({ country: 'DE', coupon: 'HALF' });
  const [{ id }] = await invoicesOf(buyer);
  const page = (await buyer.bill('GET', `/invoices/${id}/html`)).text;
  const sums = [...page.matchAll(/<td colspan="2">([^<]*)<\/td><td class="number">([^<]*)<\/td>/g)];
  expect(sums.map(([, name, value]) => `${name} ${value}`)).toEqual([
    'Subtotal EUR 10.00',
    'Discount (HALF) -EUR 5.00',
    'VAT 19% on EUR 5.00 (Germany) EUR 0.95',
    'Total EUR 5.95',
    'Paid EUR 5.95',
    'Amount due EUR 0.00',
  ]);
});

test('the previews of a plan change and of the renewal have the discount and the tax', async () => {
  const buyer = await buyOnPage({ country: 'DE', coupon: 'HALF' });
  const preview = (await buyer.bill('GET', `/plan-preview?plan=${pro.code}`)).body.data;
  expect(preview).toMatchObject({ takes_effect: 'now', discount: 1500, tax: 190, amount_due: 1190 });
  const { next_invoice } = (await buyer.bill('GET', '/overview')).body.data;
  expect(next_invoice).toMatchObject({ discount: 500, tax: 95, amount_due: 595 });
});

test('the payment is confirmed by one mail to the billing address, which carries the invoice as PDF', async () => {
  const buyer = await buyOnPage({ country: 'DE' });
  const [{ number }] = await invoicesOf(buyer);
  await buyer.settle();
  while ((await suite.app.services.mail.deliverDue()).sent > 0);
  const folder = join(suite.app.config.dataDir, 'mail');
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1')));
  const receipts = files.filter((text) => text.includes(`filename=invoice-${number}.pdf`));
  expect(receipts).toHaveLength(1);
  const [receipt = ''] = receipts;
  expect(receipt).toContain(`To: ${buyer.tenant.owner.email}\r\n`);
  expect(receipt).toContain(`receipt for invoice ${number}`);
  const encoded = receipt.slice(receipt.indexOf('Content-Type: application/pdf')).split('\r\n\r\n')[1] ?? '';
  expect(Buffer.from(encoded, 'base64').subarray(0, 5).toString()).toBe('%PDF-');
});
