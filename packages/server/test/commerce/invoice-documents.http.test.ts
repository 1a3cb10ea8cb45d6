import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { syncSubscription } from '../../src/features/commerce/billing/sync-service.ts';
import { newId } from '../../src/lib/ids.ts';
import type { ProviderInvoice } from '../../src/payments/provider.ts';
import { createTenant, type TestTenant, useAdmin } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { invoiceOf, recordedProvider, subscriptionOf } from './recorded-provider.ts';

useClock();
const suite = useAdmin({ SELLER_NAME: 'Key & Sons', SELLER_ADDRESS: 'Main Street 1|1000 Town' });

interface Issued {
  readonly tenant: TestTenant;
  readonly id: string;
  readonly number: string;
  read(format: '' | '/pdf' | '/html'): ReturnType<typeof suite.app.request>;
  readPdf(): Promise<Buffer>;
}

/** Creates a tenant with one invoice and a given customer. */
async function issue(fields: Partial<ProviderInvoice> = {}, customer: object = {}): Promise<Issued> {
  const { app } = suite;
  const tenant = await createTenant(app, suite.admin);
  const provider = recordedProvider();
  const currency = fields.currency ?? 'usd';
  const subscription = subscriptionOf({ currency });
  const at = app.services.clock.now();
  const details = { name: 'Ada & Co. <b>', email: 'ada@example.com', address: null, taxId: 'DE1', ...customer };
  await app.services.platform.query
    .insertInto('billing_customers')
    .values({
      tenant_id: tenant.id,
      provider: 'sandbox',
      provider_customer_id: subscription.customerId,
      details_json: JSON.stringify(details),
      created_at: at,
      updated_at: at,
    })
    .execute();
  provider.subscriptions.set(subscription.id, subscription);
  provider.invoices.set(subscription.id, [invoiceOf(subscription, { id: `in_${newId()}`, ...fields })]);
  await syncSubscription(app.services, provider, subscription.id);
  const url = '/api/v1/billing/invoices';
  const headers = tenant.owner.auth;
  const [{ id, number }] = (await app.request({ method: 'GET', url, headers })).body.data;
  return {
    ...{ tenant, id, number },
    read: (format) => app.request({ method: 'GET', url: `${url}/${id}${format}`, headers }),
    async readPdf() {
      const answer = await app.http.inject({ method: 'GET', url: `${url}/${id}/pdf`, headers });
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/pdf']);
      return answer.rawPayload;
    },
  };
}

/** Returns the texts of a PDF's inflated streams, one per line. */
function textOf(pdf: Buffer): string {
  const source = pdf.toString('latin1');
  const lines: string[] = [];
  for (const { 0: head, 1: length, index } of source.matchAll(
    /\/Length (\d+)\n\/Filter \/FlateDecode\n>>\nstream\n/g,
  )) {
    const start = index + head.length;
    const stream = inflateSync(pdf.subarray(start, start + Number(length))).toString('latin1');
    for (const [, shown = ''] of stream.matchAll(/\[([^\]]*)\] TJ/g)) {
      const hex = [...shown.matchAll(/<([0-9a-f]*)>/g)].map(([, digits = '']) => digits).join('');
      lines.push(Buffer.from(hex, 'hex').toString('latin1'));
    }
  }
  return lines.join('\n');
}

test('the PDF of an invoice has the number, the parties, the lines and the total, and is deterministic', async () => {
  const issued = await issue({ subtotal: 2900, tax: 551, total: 3451, amountPaid: 3451 });
  const pdf = await issued.readPdf();
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  const text = textOf(pdf);
  for (const part of [
    'Licensing',
    `Invoice ${issued.number}`,
    'Key & Sons',
    '1000 Town',
    'Ada & Co. <b>',
    'Tax ID DE1',
    'Date of issue: November 20, 2026',
    'Status: Paid',
    'Pro (November 20, 2026 to November 20, 2026)',
    'USD 29.00',
    'USD 5.51',
    'USD 34.51',
  ]) {
    expect(text.replaceAll('\n', ' ')).toContain(part);
  }
  expect(issued.number).toMatch(/^[0-9A-F]{8}-0001$/);
  expect(pdf.equals(await issued.readPdf())).toBe(true);
});

test('the HTML page of an invoice is escaped and has a policy that allows its style alone', async () => {
  const issued = await issue({ total: 3451 });
  const page = await issued.read('/html');
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.text).toContain('</svg>Licensing</p>');
  expect(page.text).toContain(`Invoice ${issued.number}`);
  expect(page.text).toContain('Ada &amp; Co. &lt;b&gt;');
  expect(page.text).toContain('USD 34.51');
  expect(page.text).not.toMatch(/<script|<img|<link|<b>/);
  expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action/);
});

test('an invoice shows the credit that lowered it, and its refunds', async () => {
  const issued = await issue({ subtotal: 2900, total: 2900, amountDue: 1900, amountPaid: 1900 });
  const { platform } = suite.app.services;
  await platform.query.updateTable('invoices').set({ amount_refunded: 500 }).where('id', '=', issued.id).execute();
  const parts = ['Credit applied', '-USD 10.00', 'Paid', 'USD 19.00', 'Refunded', 'USD 5.00'];
  const texts = [textOf(await issued.readPdf()), (await issued.read('/html')).text];
  for (const text of texts) for (const part of parts) expect(text).toContain(part);
});

test.each([
  ['jpy', 'JPY 2,900'],
  ['kwd', 'KWD 2.900'],
  ['eur', 'EUR 29.00'],
])('invoice amounts in %s have the decimal places of the currency', async (currency, total) => {
  const issued = await issue({ currency, total: 2900 });
  expect(textOf(await issued.readPdf())).toContain(total);
  expect((await issued.read('/html')).text).toContain(total);
});

test('letters that the PDF fonts lack are replaced in the PDF and kept on the HTML page', async () => {
  const issued = await issue({}, { name: 'Łukasz Nowák – 株式会社 €\n\u202e' });
  expect(textOf(await issued.readPdf())).toContain('Lukasz Now\u00e1k \u0096 ???? \u0080');
  expect((await issued.read('/html')).text).toContain('Łukasz Nowák – 株式会社 €');
});

test('the PDF of an invoice with hundreds of long lines has all lines on several pages', async () => {
  const line = (index: number) => ({
    description: `Position ${index} ${'of a long description '.repeat(8)}`,
    ...{ quantity: 1, amount: index, periodStartsAt: null, periodEndsAt: null },
  });
  const issued = await issue({ lines: Array.from({ length: 250 }, (_, index) => line(index)) });
  const pdf = await issued.readPdf();
  expect(pdf.toString('latin1').match(/\/Type \/Page\n/g)?.length).toBeGreaterThan(5);
  const text = textOf(pdf);
  for (const index of [0, 99, 249]) expect(text).toContain(`Position ${index} `);
  expect(text).toContain('Total');
});

describe('a draft invoice', () => {
  test('a draft invoice has no number and no document', async () => {
    const issued = await issue({ status: 'draft', finalizedAt: null, paidAt: null });
    expect((await issued.read('')).body.data).toMatchObject({ status: 'draft', number: null, customer: null });
    for (const format of ['/pdf', '/html'] as const) {
      const answer = await issued.read(format);
      expect([answer.status, answer.body.error.code]).toEqual([409, 'INVOICE.NOT_FINAL']);
    }
  });
});

test('without a payment provider changes are refused, and stored invoices stay readable', async () => {
  const issued = await issue();
  const send = (method: 'GET' | 'PUT', url: string, payload?: object) =>
    suite.app.request({
      method,
      url: `/api/v1/billing${url}`,
      headers: issued.tenant.owner.auth,
      ...(payload && { payload }),
    });
  const overview = await send('GET', '/overview');
  expect(overview.body.data).toMatchObject({ provider_available: false, next_invoice: null, plan: { code: 'free' } });
  for (const [method, url, payload] of [
    ['GET', '/portal-session'],
    ['GET', '/plan-preview?plan=free'],
    ['PUT', '/plan', { plan_code: 'free' }],
    ['PUT', '/subscription', { cancel_at_period_end: true }],
    ['PUT', '/details', { name: 'Somebody' }],
  ] as const) {
    const answer = await send(method, url, payload);
    expect([url, answer.status, answer.body.error.code]).toEqual([url, 409, 'BILLING.NO_PROVIDER']);
  }
});
