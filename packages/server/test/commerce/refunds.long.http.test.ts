import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { PaymentProviderError } from '../../src/payments/provider.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { sandboxOf } from '../payments/sandbox-data.ts';
import { type Account, createAdmin } from '../support/accounts.ts';
import { type Answer, engine, startApp, stopApp, type TestApp, useApp, useClock } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';
import { type InvoiceAdmin, invoiceAdmin, paidInvoice, providerIdOf } from './admin-invoices.ts';
import { createSubscriber, monthlyPrice, offerPlan } from './buyers.ts';

const clock = useClock();
const suite = useApp({ PAYMENT_PROVIDER: 'sandbox' });
let nodes: TestApp[] = [];
let admin: Account;
let invoices: InvoiceAdmin;

beforeAll(async () => {
  nodes = [suite.app];
  // On PostgreSQL two nodes share the work, so that no process serializes the requests.
  if (engine === 'postgres') nodes.push(await startApp(suite.app.site, { PAYMENT_PROVIDER: 'sandbox' }));
  admin = await createAdmin(suite.app);
  invoices = invoiceAdmin(suite.app, admin);
});

afterAll(async () => {
  for (const node of nodes.slice(1)) await stopApp(node);
});

const refund = (id: string, payload: object, key?: string) =>
  invoices.send('POST', `/invoices/${id}/refund`, { reason: 'Outage', ...payload }, key);
const outcome = ({ status, body }: Answer) => [status, body.error?.code ?? 'ok'];

/** Returns what each of the books says was refunded: the provider, the refunds, the credit notes and the invoice. */
async function booksOf(id: string) {
  const { query } = suite.app.services.platform;
  const { payments } = sandboxOf(suite.app);
  const atProvider = await payments.findInvoice(await providerIdOf(suite.app, id));
  const refunds = await query.selectFrom('refunds').selectAll().where('invoice_id', '=', id).execute();
  const notes = await query.selectFrom('credit_notes').selectAll().where('invoice_id', '=', id).execute();
  const sum = (rows: readonly { readonly amount: number }[]) => rows.reduce((all, { amount }) => all + amount, 0);
  return {
    provider: sum(atProvider?.creditNotes ?? []),
    refunds: sum(refunds.filter(({ status }) => status === 'succeeded')),
    pending: sum(refunds.filter(({ status }) => status === 'pending')),
    creditNotes: sum(notes),
    invoice: (await invoices.read(id)).amount_refunded,
    numbers: notes.map(({ number }) => number).sort((one, other) => one - other),
  };
}

/** Replaces the provider's refund for one test. */
async function withRefund(
  replacement: (
    original: () => ReturnType<ReturnType<typeof sandboxOf>['payments']['refundInvoice']>,
  ) => Promise<never>,
  work: () => Promise<void>,
): Promise<void> {
  const { payments } = sandboxOf(suite.app);
  const original = payments.refundInvoice;
  payments.refundInvoice = (...args) => replacement(() => original(...args));
  try {
    await work();
  } finally {
    payments.refundInvoice = original;
  }
}

describe('a refund', () => {
  test('a refund of a part returns a numbered credit note, which the customer gets by mail as a PDF', async () => {
    const { id, tenant } = await paidInvoice(suite.app, admin, 10_000);
    const answer = await refund(id, { amount: 3000 });
    expect(answer.status).toBe(201);
    const note = answer.body.data;
    expect(note).toEqual({
      id: expect.any(String),
      number: expect.stringMatching(/^[0-9A-F]{8}-CN-0001$/),
      amount: 3000,
      tax: 0,
      reason: 'Outage',
      created_at: expect.any(String),
    });
    expect(await invoices.read(id)).toMatchObject({ status: 'paid', amount_refunded: 3000, credit_notes: [note] });
    const mails = (await mailsTo(suite.app, tenant.owner.email)).filter((mail) => mail.includes('We have refunded'));
    expect(mails).toHaveLength(1);
    expect(mails[0]).toContain(`EUR 30.00`);
    await runTenantJobs(suite.app);
    expect((await mailsTo(suite.app, tenant.owner.email)).filter((mail) => mail.includes('refunded'))).toHaveLength(1);
    for (const [url, headers] of [
      [`/api/v1/admin/invoices/${id}/credit-notes/${note.id}`, admin.auth],
      [`/api/v1/billing/invoices/${id}/credit-notes/${note.id}`, tenant.owner.auth],
    ] as const) {
      const pdf = await suite.app.request({ method: 'GET', url: `${url}/pdf`, headers });
      expect([pdf.status, pdf.headers['content-disposition']]).toEqual([
        200,
        `attachment; filename="credit-note-${note.number}.pdf"`,
      ]);
      const page = await suite.app.request({ method: 'GET', url: `${url}/html`, headers });
      expect([page.status, page.text.includes(note.number)]).toEqual([200, true]);
    }
    expect((await invoices.events(id)).slice(-2)).toEqual(['INVOICE.REFUND_REQUESTED', 'INVOICE.REFUNDED']);
  });

  test('the credit note of another tenant is a 404', async () => {
    const { id } = await paidInvoice(suite.app, admin, 1000);
    const other = await paidInvoice(suite.app, admin, 1000);
    const note = (await refund(id, {})).body.data;
    for (const invoiceId of [id, other.id]) {
      const url = `/api/v1/billing/invoices/${invoiceId}/credit-notes/${note.id}/pdf`;
      const answer = await suite.app.request({ method: 'GET', url, headers: other.tenant.owner.auth });
      expect([invoiceId, ...outcome(answer)]).toEqual([invoiceId, 404, 'RESOURCE.NOT_FOUND']);
    }
  });

  test('a refund without an amount is all that is left, and more than that is refused with the field', async () => {
    const { id } = await paidInvoice(suite.app, admin, 10_000);
    await refund(id, { amount: 9000 });
    const tooMuch = await refund(id, { amount: 1001 });
    expect([...outcome(tooMuch), tooMuch.body.error.details]).toEqual([
      422,
      'VALIDATION.FAILED',
      [{ field: 'amount', message: 'Enter at most 1000, because EUR 10.00 is left.' }],
    ]);
    const rest = await refund(id, {});
    expect([rest.status, rest.body.data.amount]).toEqual([201, 1000]);
    expect(outcome(await refund(id, {}))).toEqual([409, 'INVOICE.TRANSITION_INVALID']);
    expect(await booksOf(id)).toMatchObject({ provider: 10_000, refunds: 10_000, creditNotes: 10_000, pending: 0 });
  });

  test('the invoice of a subscription is refunded, an unpaid one is not', async () => {
    const buyer = await createSubscriber(suite.app, admin, await offerPlan(suite.app, admin, [monthlyPrice]));
    const [{ id }] = (await invoices.send('GET', `/invoices?tenant_id=${buyer.tenant.id}`)).body.data;
    expect((await refund(id, { amount: 900 })).status).toBe(201);
    await runTenantJobs(suite.app);
    expect(await invoices.read(id)).toMatchObject({ status: 'paid', amount_refunded: 900 });
    const draft = (await invoices.create(buyer.tenant, 5000)).body.data;
    expect(outcome(await refund(draft.id, {}))).toEqual([409, 'INVOICE.TRANSITION_INVALID']);
    await invoices.send('POST', `/invoices/${draft.id}/finalize`);
    expect(outcome(await refund(draft.id, {}))).toEqual([409, 'INVOICE.TRANSITION_INVALID']);
    expect(outcome(await refund(newId(), {}))).toEqual([404, 'RESOURCE.NOT_FOUND']);
  });

  test('a repeated refund with one Idempotency-Key refunds once, and another body is refused', async () => {
    const { id } = await paidInvoice(suite.app, admin, 5000);
    const key = newId();
    const first = await refund(id, { amount: 2000 }, key);
    const again = await refund(id, { amount: 2000 }, key);
    expect([again.status, again.headers['idempotency-replayed'], again.body.data]).toEqual([
      201,
      'true',
      first.body.data,
    ]);
    expect(outcome(await refund(id, { amount: 2001 }, key))).toEqual([422, 'IDEMPOTENCY.KEY_REUSED']);
    expect(await booksOf(id)).toMatchObject({ provider: 2000, refunds: 2000, invoice: 2000 });
  });
});

describe('a provider that fails', () => {
  test('a refund that the provider refuses is stored as failed, and its amount is free again', async () => {
    const { id } = await paidInvoice(suite.app, admin, 5000);
    await withRefund(
      () => Promise.reject(new PaymentProviderError('refused', 'The charge is disputed.')),
      async () => expect(outcome(await refund(id, { amount: 5000 }))).toEqual([409, 'BILLING.REFUSED']),
    );
    const { query } = suite.app.services.platform;
    const [row] = await query.selectFrom('refunds').selectAll().where('invoice_id', '=', id).execute();
    expect(row).toMatchObject({ status: 'failed', failure: expect.stringContaining('refused') });
    expect((await invoices.events(id)).at(-1)).toBe('INVOICE.REFUND_FAILED');
    expect((await refund(id, { amount: 5000 })).status).toBe(201);
  });

  test('after an answer was lost, the same key continues the refund, and another request cannot take its amount', async () => {
    const { id } = await paidInvoice(suite.app, admin, 5000);
    const key = newId();
    const lost = () => Promise.reject(new PaymentProviderError('unavailable', 'The connection broke.'));
    await withRefund(
      // The provider makes the refund, and its answer is lost.
      (original) => original().then(lost),
      async () => expect(outcome(await refund(id, { amount: 4000 }, key))).toEqual([503, 'SERVICE.UNAVAILABLE']),
    );
    expect((await refund(id, { amount: 1001 })).status).toBe(422);
    const again = await refund(id, { amount: 4000 }, key);
    expect([again.status, again.body.data.amount]).toEqual([201, 4000]);
    expect(await booksOf(id)).toMatchObject({ provider: 4000, refunds: 4000, creditNotes: 4000, pending: 0 });
  });

  test('a job completes a refund that an unavailable provider left, and asks for it once', async () => {
    const { id, tenant } = await paidInvoice(suite.app, admin, 5000);
    await withRefund(
      () => Promise.reject(new PaymentProviderError('unavailable', 'The provider is down.')),
      async () => {
        expect((await refund(id, { amount: 4000 })).status).toBe(503);
        clock.advance(61_000);
        await runTenantJobs(suite.app);
        expect(await booksOf(id)).toMatchObject({ provider: 0, pending: 4000 });
      },
    );
    clock.advance(301_000);
    await runTenantJobs(suite.app);
    clock.advance(301_000);
    await runTenantJobs(suite.app);
    expect(await booksOf(id)).toMatchObject({ provider: 4000, refunds: 4000, creditNotes: 4000, pending: 0 });
    const mails = await mailsTo(suite.app, tenant.owner.email);
    expect(mails.filter((mail) => mail.includes('We have refunded'))).toHaveLength(1);
  });
});

describe('concurrent refunds', () => {
  test('twenty simultaneous refunds never exceed what was paid, and all books agree', async () => {
    const { id } = await paidInvoice(suite.app, admin, 10_000);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const node = nodes[index % nodes.length] ?? suite.app;
        return invoiceAdmin(node, admin).send('POST', `/invoices/${id}/refund`, { amount: 900, reason: 'Race' });
      }),
    );
    const statuses = answers.map(({ status }) => status);
    expect([statuses.filter((status) => status === 201).length, new Set(statuses)]).toEqual([11, new Set([201, 422])]);
    const books = { provider: 9900, refunds: 9900, creditNotes: 9900, invoice: 9900, pending: 0 };
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    expect(await booksOf(id)).toEqual({ ...books, numbers });
    await runTenantJobs(suite.app);
    expect(await booksOf(id)).toEqual({ ...books, numbers });
  });

  test('refunds here and at the provider at the same time never exceed what was paid', async () => {
    const { id } = await paidInvoice(suite.app, admin, 10_000);
    const providerId = await providerIdOf(suite.app, id);
    const { payments } = sandboxOf(suite.app);
    await Promise.allSettled([
      ...Array.from({ length: 8 }, () => refund(id, { amount: 1000 })),
      ...Array.from({ length: 8 }, (_, index) =>
        payments.refundInvoice(providerId, { reference: `phone-${index}`, amount: 1000, reason: 'Phone' }),
      ),
    ]);
    await runTenantJobs(suite.app);
    const books = await booksOf(id);
    expect(books.provider).toBeLessThanOrEqual(10_000);
    expect([books.creditNotes, books.invoice, books.pending]).toEqual([books.provider, books.provider, 0]);
    expect(books.numbers).toEqual(books.numbers.map((_number, index) => index + 1));
  });

  test('concurrent requests with one Idempotency-Key refund once', async () => {
    const { id } = await paidInvoice(suite.app, admin, 10_000);
    const key = newId();
    const answers = await Promise.all(Array.from({ length: 10 }, () => refund(id, { amount: 500 }, key)));
    for (const answer of answers)
      expect(['201 ok', '409 IDEMPOTENCY.IN_PROGRESS']).toContain(outcome(answer).join(' '));
    expect(await booksOf(id)).toMatchObject({ provider: 500, refunds: 500, creditNotes: 500, pending: 0 });
  });
});
