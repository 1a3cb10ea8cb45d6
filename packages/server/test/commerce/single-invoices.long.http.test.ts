import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { syncInvoice } from '../../src/features/commerce/billing/invoice-sync-service.ts';
import { syncSubscription } from '../../src/features/commerce/billing/sync-service.ts';
import { platformSubject } from '../../src/jobs/job.ts';
import { enqueueJob } from '../../src/jobs/queries.ts';
import { toTimestamp } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/ids.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { dayMs, sandboxOf } from '../payments/sandbox-data.ts';
import { createAdmin, useAdmin } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';
import { liveRoutes } from '../support/routes.ts';
import { type InvoiceAdmin, invoiceAdmin, paidInvoice, payInvoice, providerIdOf } from './admin-invoices.ts';
import { createBillingTenant, createSubscriber, monthlyPrice, offerPlan } from './buyers.ts';

const clock = useClock();
// The suite advances the clock by days, and its admin stays logged in.
const suite = useAdmin({ PAYMENT_PROVIDER: 'sandbox', ADMIN_TOKEN_TTL_HOURS: '8760' });
let invoices: InvoiceAdmin;

beforeAll(async () => {
  invoices = invoiceAdmin(suite.app, suite.admin);
});
const act = (id: string, action: string) => invoices.send('POST', `/invoices/${id}/${action}`);
const customersOf = (tenantId: string) =>
  suite.app.services.platform.query
    .selectFrom('billing_customers')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .execute();

/** Creates and finalizes a single invoice, and returns its id. */
async function openInvoice(amount = 5000, fields: object = {}) {
  const tenant = await suite.newTenant();
  const { id } = (await invoices.create(tenant, amount, fields)).body.data;
  const final = await act(id, 'finalize');
  expect(final.status).toBe(200);
  return { id: id as string, tenant };
}

describe('a single invoice', () => {
  test('an invoice of a tenant without a subscription is a draft, is finalized with its number and is paid', async () => {
    const tenant = await suite.newTenant();
    const lines = [
      { description: 'Migration, per day', quantity: 2, unit_amount: 120_000 },
      { description: 'Discount for the pilot', quantity: 1, unit_amount: -40_000 },
    ];
    const draft = await invoices.create(tenant, 0, { lines });
    expect(draft.status).toBe(201);
    const { id } = draft.body.data;
    expect(draft.body.data).toMatchObject({
      tenant_id: tenant.id,
      subscription_id: null,
      number: null,
      status: 'draft',
      currency: 'eur',
      collection_method: 'send',
      subtotal: 200_000,
      discount: 0,
      total: 200_000,
      amount_paid: 0,
      amount_refunded: 0,
      credit_notes: [],
      sent_at: null,
      reminded_at: null,
    });
    expect(await invoices.read(id)).toEqual(draft.body.data);
    const final = await act(id, 'finalize');
    expect(final.body.data).toMatchObject({ status: 'open', amount_due: 200_000, due_at: expect.any(String) });
    expect(final.body.data.number).toMatch(/^[0-9A-F]{8}-0001$/);
    expect((await act(id, 'finalize')).body.data).toEqual(final.body.data);
    await payInvoice(suite.app, id);
    await runTenantJobs(suite.app);
    expect(await invoices.read(id)).toMatchObject({ status: 'paid', amount_paid: 200_000, amount_due: 200_000 });
    // A request and its effect have the same time, so they have no order.
    expect((await invoices.events(id)).sort()).toEqual([
      'INVOICE.CREATED',
      'INVOICE.FINALIZED',
      'INVOICE.FINALIZE_REQUESTED',
      'INVOICE.PAID',
    ]);
    const asOwner = { method: 'GET', headers: tenant.owner.auth } as const;
    const own = await suite.app.request({ ...asOwner, url: `/api/v1/billing/invoices/${id}` });
    expect(own.body.data).toMatchObject({ id, status: 'paid', total: 200_000 });
    const pdf = await suite.asAdmin('GET', `/invoices/${id}/pdf`);
    expect([pdf.status, pdf.text.slice(0, 5)]).toEqual([200, '%PDF-']);
  });

  test('the owners of a tenant see a single invoice once it is final, and not its draft', async () => {
    const tenant = await suite.newTenant();
    const { body } = await invoices.create(tenant, 1000);
    const asOwner = (path: string) =>
      suite.app.request({ method: 'GET', url: `/api/v1/billing/invoices${path}`, headers: tenant.owner.auth });
    expect((await asOwner('')).body.data).toEqual([]);
    expect((await asOwner(`/${body.data.id}`)).status).toBe(404);
    await act(body.data.id, 'finalize');
    expect((await asOwner('')).body.data).toMatchObject([{ id: body.data.id, status: 'open' }]);
    expect((await asOwner(`/${body.data.id}`)).status).toBe(200);
  });

  test('concurrent first invoices of a tenant make one customer at the provider', async () => {
    const tenant = await suite.newTenant();
    const drafts = await Promise.all(Array.from({ length: 5 }, () => invoices.create(tenant, 1000)));
    expect(drafts.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(await customersOf(tenant.id)).toHaveLength(1);
    const { payments } = sandboxOf(suite.app);
    const read = drafts.map(async ({ body }) => payments.findInvoice(await providerIdOf(suite.app, body.data.id)));
    const customers = (await Promise.all(read)).map((invoice) => invoice?.customerId);
    expect(new Set(customers).size).toBe(1);
    expect(new Set(drafts.map(({ body }) => body.data.id)).size).toBe(5);
  });

  test('a repeated creation with one Idempotency-Key creates one invoice, and another body is refused', async () => {
    const tenant = await suite.newTenant();
    const key = newId();
    const first = await invoices.create(tenant, 1000, {}, key);
    const again = await invoices.create(tenant, 1000, {}, key);
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([201, 'true']);
    expect(again.body.data).toEqual(first.body.data);
    const other = await invoices.create(tenant, 2000, {}, key);
    expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY.KEY_REUSED']);
    const list = await invoices.send('GET', `/invoices?tenant_id=${tenant.id}`);
    expect(list.body.data).toHaveLength(1);
  });

  test.each([
    ['tenant_id', { tenant_id: newId() }],
    ['currency', { currency: 'xxx' }],
    ['lines', { lines: [{ description: 'Nothing', quantity: 1, unit_amount: 0 }] }],
    ['lines', { lines: [{ description: 'Too much', quantity: 1000, unit_amount: 99_999_999 }] }],
  ])('an invoice with an invalid %s is refused with that field', async (field, fields) => {
    const refused = await invoices.create(await suite.newTenant(), 1000, fields);
    expect([refused.status, refused.body.error.details?.[0].field]).toEqual([422, field]);
  });

  test('the draft of a single invoice is deleted here and at the provider, a final invoice is not', async () => {
    const tenant = await suite.newTenant();
    const { id } = (await invoices.create(tenant, 1000)).body.data;
    const providerId = await providerIdOf(suite.app, id);
    const deleted = await invoices.send('DELETE', `/invoices/${id}`);
    expect(deleted.body.data).toEqual({ deleted: true, id });
    expect((await invoices.send('GET', `/invoices/${id}`)).status).toBe(404);
    expect(await sandboxOf(suite.app).payments.findInvoice(providerId)).toBeUndefined();
    expect((await invoices.send('DELETE', `/invoices/${id}`)).status).toBe(404);
    const open = await openInvoice();
    const refused = await invoices.send('DELETE', `/invoices/${open.id}`);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'INVOICE.TRANSITION_INVALID']);
    await runTenantJobs(suite.app);
    expect((await invoices.events(id)).filter((event) => event === 'INVOICE.DELETED')).toHaveLength(1);
  });

  test('void, write-off and retry work for a single invoice', async () => {
    const voided = await openInvoice();
    expect((await act(voided.id, 'finalize')).status).toBe(200);
    const answer = await invoices.send('POST', `/billing/invoices/${voided.id}/void`);
    expect([answer.status, answer.body.data.status]).toEqual([200, 'void']);
    const lost = await openInvoice();
    const writtenOff = await invoices.send('POST', `/billing/invoices/${lost.id}/mark-uncollectible`);
    expect(writtenOff.body.data.status).toBe('uncollectible');
    const unpaid = await openInvoice();
    const declined = await invoices.send('POST', `/billing/invoices/${unpaid.id}/retry`);
    expect([declined.status, declined.body.error.code]).toEqual([402, 'BILLING.PAYMENT_FAILED']);
  });
});

describe('the billing guard', () => {
  test('every admin reads invoices, and only billing admins write, which is logged', async () => {
    const { id } = await openInvoice();
    const writes = liveRoutes(suite.app).filter(
      ({ method, path }) => path.startsWith('/api/v1/admin/invoices') && method !== 'GET',
    );
    expect(writes.map(({ title }) => title)).toHaveLength(6);
    for (const role of ['admin', 'billing_readonly'] as const) {
      const account = await createAdmin(suite.app, role);
      const as = invoiceAdmin(suite.app, account);
      expect((await as.send('GET', `/invoices/${id}`)).status).toBe(200);
      for (const { method, path, title } of writes) {
        const url = path.replace('{id}', id);
        const refused = await suite.app.request({ method, url, headers: account.auth });
        expect([title, refused.status, refused.body.error.code]).toEqual([title, 403, 'BILLING.ROLE_REQUIRED']);
      }
      const log = await invoices.send('GET', `/billing/authorization-log?admin_id=${account.id}&allowed=false`);
      expect(log.body.data).toHaveLength(writes.length);
    }
    const writer = await createAdmin(suite.app, 'billing_admin');
    expect((await invoiceAdmin(suite.app, writer).send('POST', `/invoices/${id}/send`)).status).toBe(200);
    const log = await invoices.send('GET', `/billing/authorization-log?admin_id=${writer.id}`);
    expect(log.body.data).toMatchObject([{ allowed: true, path: `/api/v1/admin/invoices/${id}/send` }]);
  });
});

describe('the sync of single invoices', () => {
  test('an older reading of an invoice never replaces a newer one', async () => {
    const { id } = await openInvoice();
    const { payments } = sandboxOf(suite.app);
    const providerId = await providerIdOf(suite.app, id);
    const read = payments.findInvoice;
    payments.findInvoice = async (invoiceId) => {
      const older = await read(invoiceId);
      payments.findInvoice = read;
      await payInvoice(suite.app, id);
      expect(await syncInvoice(suite.app.services, payments, providerId)).toBe('written');
      return older;
    };
    expect(await syncInvoice(suite.app.services, payments, providerId)).toBe('outdated');
    expect((await invoices.read(id)).status).toBe('paid');
  });

  test('an event about an invoice is stored with the id of the invoice, and can be replayed', async () => {
    const { id } = await openInvoice();
    await payInvoice(suite.app, id);
    await runTenantJobs(suite.app);
    const [event] = (await invoices.send('GET', '/billing/events?type=invoice.paid&limit=1')).body.data;
    expect(event).toMatchObject({
      provider_invoice_id: await providerIdOf(suite.app, id),
      provider_subscription_id: null,
    });
    expect((await invoices.send('POST', `/billing/events/${event.id}/replay`)).status).toBe(200);
    await runTenantJobs(suite.app);
    expect((await invoices.events(id)).filter((name) => name === 'INVOICE.PAID')).toHaveLength(1);
  });

  test('an invoice that is created at the provider is stored for the tenant of its customer', async () => {
    const { tenant } = await openInvoice();
    const { payments } = sandboxOf(suite.app);
    const [customer] = await customersOf(tenant.id);
    const line = { description: 'Made elsewhere', quantity: 1, unitAmount: 700 };
    const made = await payments.createInvoice(customer?.provider_customer_id ?? '', {
      reference: newId(),
      currency: 'eur',
      lines: [line],
      dueInDays: 3,
    });
    await payments.finalizeInvoice(made.id);
    await runTenantJobs(suite.app);
    const [newest] = (await invoices.send('GET', `/invoices?tenant_id=${tenant.id}&limit=1`)).body.data;
    expect(newest).toMatchObject({ provider_invoice_id: made.id, status: 'open', total: 700 });
    expect(newest.number).toMatch(/-0002$/);
  });

  test('the daily reconciliation repairs an invoice whose events were all lost', async () => {
    const { id } = await openInvoice();
    const { query } = suite.app.services.platform;
    await payInvoice(suite.app, id);
    await query.deleteFrom('sandbox_events').execute();
    await runTenantJobs(suite.app);
    expect((await invoices.read(id)).status).toBe('open');
    clock.advance(dayMs);
    const at = suite.app.services.clock.now();
    await suite.app.services.platform.transaction((tx) =>
      enqueueJob(tx, { subjectId: platformSubject, kind: 'billing-reconciliation', dueAt: at }, at),
    );
    await runTenantJobs(suite.app);
    expect((await invoices.read(id)).status).toBe('paid');
  });

  test('credit notes that are made at the provider get numbers without gaps, also of several invoices', async () => {
    const { id, tenant } = await paidInvoice(suite.app, suite.admin, 9000);
    const { payments } = sandboxOf(suite.app);
    const providerId = await providerIdOf(suite.app, id);
    for (const amount of [1000, 2500]) {
      await payments.refundInvoice(providerId, { reference: `elsewhere-${amount}`, amount, reason: 'By phone' });
    }
    await runTenantJobs(suite.app);
    await runTenantJobs(suite.app);
    const invoice = await invoices.read(id);
    expect(invoice).toMatchObject({ status: 'paid', amount_paid: 9000, amount_refunded: 3500 });
    const notes: { number: string; amount: number; reason: string }[] = invoice.credit_notes;
    expect(notes.map(({ number, amount }) => [number.slice(8), amount])).toEqual([
      ['-CN-0001', 1000],
      ['-CN-0002', 2500],
    ]);
    const refund = await invoices.send('POST', `/invoices/${id}/refund`, { reason: 'All of it' });
    expect([refund.status, refund.body.data.amount, refund.body.data.number.slice(8)]).toEqual([201, 5500, '-CN-0003']);
    const rows = suite.app.services.platform.query.selectFrom('credit_notes').select('number');
    const numbers = (await rows.where('tenant_id', '=', tenant.id).orderBy('number').execute()).map(
      (row) => row.number,
    );
    expect(numbers.map(Number)).toEqual([1, 2, 3]);
  });
});

describe('mails about invoices', () => {
  const countOf = async (email: string, text: string) =>
    (await mailsTo(suite.app, email)).filter((mail) => mail.includes(text)).length;

  test('an open invoice is mailed, a draft and a paid one are not', async () => {
    const tenant = await suite.newTenant();
    const { id } = (await invoices.create(tenant, 5000)).body.data;
    const draft = await act(id, 'send');
    expect([draft.status, draft.body.error.code]).toEqual([409, 'INVOICE.NOT_FINAL']);
    const { number } = (await act(id, 'finalize')).body.data;
    const sent = await act(id, 'send');
    expect([sent.status, sent.body.data.sent_at.slice(0, 19)]).toEqual([
      200,
      suite.app.services.clock.now().slice(0, 19),
    ]);
    expect(await countOf(tenant.owner.email, `Please pay EUR 50.00 for invoice ${number}`)).toBe(1);
    expect(await invoices.events(id)).toContain('INVOICE.SENT');
    await payInvoice(suite.app, id);
    const paid = await act(id, 'send');
    expect([paid.status, paid.body.error.code]).toEqual([409, 'INVOICE.TRANSITION_INVALID']);
  });

  test('a customer is reminded of an invoice only when it is due, and once in 24 hours', async () => {
    const { id, tenant } = await openInvoice(5000, { due_in_days: 2 });
    const early = await act(id, 'remind');
    expect([early.status, early.body.error.code]).toEqual([409, 'INVOICE.NOT_DUE']);
    clock.advance(2 * dayMs);
    const reminded = await act(id, 'remind');
    expect([reminded.status, reminded.body.data.reminded_at]).toEqual([200, expect.any(String)]);
    clock.advance(dayMs - 60_000);
    const again = await act(id, 'remind');
    expect([again.status, again.body.error.code]).toEqual([409, 'INVOICE.ALREADY_REMINDED']);
    // A millisecond more: times of one millisecond differ by microseconds.
    clock.advance(60_001);
    expect((await act(id, 'remind')).status).toBe(200);
    expect(await countOf(tenant.owner.email, 'The payment of')).toBe(2);
  });

  test('twenty concurrent reminders mail one', async () => {
    const { id, tenant } = await openInvoice(5000, { due_in_days: 0 });
    clock.advance(1);
    const answers = await Promise.all(Array.from({ length: 20 }, () => act(id, 'remind')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await countOf(tenant.owner.email, 'The payment of')).toBe(1);
  });

  test('a payment is followed by one receipt with the PDF, however often it is synced', async () => {
    const { id, tenant } = await paidInvoice(suite.app, suite.admin, 4200);
    const { number } = await invoices.read(id);
    for (let time = 1; time <= 2; time += 1) {
      await invoices.send('POST', `/invoices/${id}/send`);
      await runTenantJobs(suite.app);
    }
    expect(await countOf(tenant.owner.email, `EUR 42.00 for invoice ${number}`)).toBe(1);
    const folder = join(suite.app.config.dataDir, 'mail');
    const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
    const attached = files.filter((text) => text.includes(`invoice-${number}.pdf`) && text.includes('application/pdf'));
    expect(attached).toHaveLength(1);
    const { email } = (
      await createSubscriber(suite.app, suite.admin, await offerPlan(suite.app, suite.admin, [monthlyPrice]))
    ).tenant.owner;
    expect(await countOf(email, 'We have received your payment of EUR 29.00')).toBe(1);
  });

  test('a payment causes one receipt, however late its purchase, its renewal or its single invoice is read', async () => {
    const plan = await offerPlan(suite.app, suite.admin, [monthlyPrice]);
    const buyer = await createBillingTenant(suite.app, suite.admin);
    const { body } = await buyer.bill('PUT', '/plan', { plan_code: plan.code });
    await buyer.pay(body.data.checkout_url);
    await suite.app.services.platform.query.deleteFrom('sandbox_events').execute();
    const receipts = () => countOf(buyer.tenant.owner.email, 'We have received your payment of EUR 29.00');
    for (const [days, expected] of [
      [10, 1],
      [25, 2],
    ] as const) {
      clock.advance(days * dayMs);
      for (let time = 1; time <= 2; time += 1) await buyer.settle();
      expect(await receipts()).toBe(expected);
    }
    const single = await openInvoice();
    await payInvoice(suite.app, single.id);
    clock.advance(5 * dayMs);
    await runTenantJobs(suite.app);
    expect(await countOf(single.tenant.owner.email, 'We have received')).toBe(1);
  });

  test('a payment from before this service billed the tenant is stored without a receipt', async () => {
    const buyer = await createSubscriber(
      suite.app,
      suite.admin,
      await offerPlan(suite.app, suite.admin, [monthlyPrice]),
    );
    const { query } = suite.app.services.platform;
    const before = await countOf(buyer.tenant.owner.email, 'We have received');
    // The service forgets the purchase, and knows the customer of the provider only from later on.
    const subscriptionId = await buyer.subscriptionId();
    const created_at = toTimestamp(Date.now() + dayMs + 1000);
    await query.deleteFrom('invoices').where('tenant_id', '=', buyer.tenant.id).execute();
    await query.deleteFrom('billing_checkouts').where('tenant_id', '=', buyer.tenant.id).execute();
    await query.updateTable('billing_customers').set({ created_at }).where('tenant_id', '=', buyer.tenant.id).execute();
    clock.advance(2 * dayMs);
    const { payments } = sandboxOf(suite.app);
    await syncSubscription(suite.app.services, payments, subscriptionId);
    const read = await invoices.send('GET', `/invoices?tenant_id=${buyer.tenant.id}`);
    expect(read.body.data).toMatchObject([{ status: 'paid' }]);
    expect(await countOf(buyer.tenant.owner.email, 'We have received')).toBe(before);
  });
});
