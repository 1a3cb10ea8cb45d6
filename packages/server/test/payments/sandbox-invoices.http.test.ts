import { beforeEach, describe, expect, test } from 'vitest';
import { purgeTenant } from '../../src/features/accounts/tenants/archive-service.ts';
import { updateTenant } from '../../src/features/accounts/tenants/service.ts';
import { addDays } from '../../src/lib/duration.ts';
import { newId } from '../../src/lib/ids.ts';
import type { CustomerDetails, NewInvoice } from '../../src/payments/provider.ts';
import { systemActor } from '../../src/tenancy/tenant.ts';
import { createTenant, useAdmin } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { buy, card, cardInput, price, sandboxOf } from './sandbox-data.ts';

const suite = useAdmin({ PAYMENT_PROVIDER: 'sandbox', SELLER_COUNTRY: 'DE', TAX_RATES: 'DE=19,AT=20,CH=8.1' });
useClock();

const basic = price('basic', 1000);
const pro = price('pro', 3000);
const refused = { reason: 'refused' };

let { sandbox, payments } = {} as ReturnType<typeof sandboxOf>;

beforeEach(() => {
  ({ sandbox, payments } = sandboxOf(suite.app));
});

function detailsIn(country: string, taxId: string | null = null): CustomerDetails {
  const address = { line1: 'Street 1', line2: null, city: 'City', postal_code: null, state: null, country };
  return { name: 'Ada Lovelace', email: 'ada@example.com', address, taxId };
}

const line = { description: 'Setup', quantity: 3, unitAmount: 1001 };

function singleInvoice(fields: Partial<NewInvoice> = {}): NewInvoice {
  return { reference: newId(), currency: 'eur', lines: [line], dueInDays: 14, ...fields };
}

async function read(id: string) {
  const invoice = await payments.findInvoice(id);
  if (invoice === undefined) throw new Error(`There is no invoice ${id}.`);
  return invoice;
}

const newCustomer = (details = detailsIn('US')) => payments.createCustomer(newId(), details);
const refundOf = (amount: number, reference = newId()) => ({ reference, amount, reason: 'sorry' });

/** Creates and finalizes a single invoice for a new customer. */
async function openInvoice(fields: Partial<NewInvoice> = {}, details = detailsIn('US')) {
  const customerId = await newCustomer(details);
  const { id } = await payments.createInvoice(customerId, singleInvoice(fields));
  await payments.finalizeInvoice(id);
  return { customerId, id };
}

/** Returns the first invoice of a new subscription, which is paid. */
async function paidInvoice(details = detailsIn('DE')) {
  const bought = await buy(suite.app, basic, 'good', { details });
  const [invoice] = await payments.listInvoices(bought.subscriptionId);
  if (invoice === undefined) throw new Error('There is no invoice.');
  return { ...bought, invoice };
}

describe('a customer without a subscription', () => {
  test('a tenant has one customer, with its details, however often it is created', async () => {
    const tenantId = newId();
    const ids = await Promise.all([1, 2, 3].map(() => payments.createCustomer(tenantId, detailsIn('DE'))));
    const [id = ''] = ids;
    expect(new Set(ids).size).toBe(1);
    expect(await payments.findCustomerDetails(id)).toEqual(detailsIn('DE'));
    await payments.updateCustomer(id, detailsIn('AT'));
    expect((await payments.findCustomerDetails(id))?.address?.country).toBe('AT');
    const { url } = await payments.createBillingPortalSession(id, 'http://localhost/billing');
    const page = await suite.app.request({ method: 'GET', url: new URL(url).pathname });
    expect(page.text).toContain('There is no card on file.');
  });

  test('the details of a checkout are those of its customer', async () => {
    const { customerId } = await paidInvoice(detailsIn('CH'));
    expect(await payments.findCustomerDetails(customerId)).toEqual(detailsIn('CH'));
    const without = await buy(suite.app, basic);
    expect(await payments.findCustomerDetails(without.customerId)).toBeUndefined();
    expect(await payments.findCustomerDetails('cus_none')).toBeUndefined();
  });

  test('the card of a checkout is on file, and a customer without a purchase has none', async () => {
    const { customerId } = await paidInvoice(detailsIn('CH'));
    expect(await payments.findCard(customerId)).toMatchObject({ brand: 'Visa', last4: '4242' });
    expect(await payments.findCard(await payments.createCustomer(newId(), detailsIn('DE')))).toBeUndefined();
  });

  test('the purge of a tenant deletes its customers, with their details and invoices', async () => {
    const tenant = await createTenant(suite.app, suite.admin);
    const customerId = await payments.createCustomer(tenant.id, detailsIn('DE'));
    const { id } = await payments.createInvoice(customerId, singleInvoice());
    const { services } = suite.app;
    await updateTenant(services, systemActor, tenant.id, { status: 'closed' });
    await purgeTenant(services, systemActor, tenant.id, { force: true });
    expect(await payments.findCustomerDetails(customerId)).toBeUndefined();
    expect(await payments.findInvoice(id)).toBeUndefined();
  });
});

describe('a single invoice', () => {
  test('a single invoice is a draft until it is finalized, and then due after its days', async () => {
    const customerId = await newCustomer(detailsIn('DE'));
    const given = singleInvoice({ lines: [line, { description: 'Rebate', quantity: 1, unitAmount: -3 }] });
    const made = await Promise.all([1, 2, 3].map(() => payments.createInvoice(customerId, given)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    const [{ id = '' } = {}] = made;
    const amounts = { subtotal: 3000, discount: 0, tax: 570, total: 3570, amountDue: 3570 };
    expect(await read(id)).toMatchObject({ status: 'draft', collectionMethod: 'send', dueAt: null, ...amounts });
    expect((await read(id)).paymentUrl).toBeNull();
    await payments.finalizeInvoice(id);
    await payments.finalizeInvoice(id);
    const invoice = await read(id);
    expect(invoice).toMatchObject({ status: 'open', subscriptionId: null, attemptCount: 0, ...amounts });
    expect(invoice.dueAt).toBe(addDays(invoice.finalizedAt ?? '', 14));
    await sandbox.advanceClock({ to: addDays(invoice.dueAt ?? '', 100) });
    expect(await read(id)).toMatchObject({ status: 'open', attemptCount: 0 });
  });

  test('the customer pays a single invoice on its page', async () => {
    const { id } = await openInvoice();
    const path = new URL((await read(id)).paymentUrl ?? '').pathname;
    const pay = await suite.app.request({ method: 'POST', url: `${path}/pay`, payload: cardInput('good') });
    expect(pay.status).toBe(200);
    expect(await read(id)).toMatchObject({ status: 'paid', amountPaid: 3003 });
  });

  test('an attempt to collect needs a card, and works with one', async () => {
    const { id, customerId } = await openInvoice();
    await expect(payments.retryInvoice(id)).rejects.toMatchObject({ reason: 'declined' });
    await sandbox.changeCard(customerId, card('good'));
    await payments.retryInvoice(id);
    expect(await read(id)).toMatchObject({ status: 'paid', attemptCount: 2 });
  });

  test('a draft is taxed by the address when it is finalized', async () => {
    const customerId = await newCustomer(detailsIn('DE'));
    const { id } = await payments.createInvoice(customerId, singleInvoice());
    await payments.updateCustomer(customerId, detailsIn('AT', 'ATU13585627'));
    await payments.finalizeInvoice(id);
    expect(await read(id)).toMatchObject({ tax: 0, total: 3003, taxes: [{ treatment: 'reverse_charge' }] });
  });

  test('credit pays a single invoice, and an invoice below zero is credit', async () => {
    const customerId = await newCustomer();
    const lines = [{ ...line, quantity: 1, unitAmount: -5000 }];
    const credit = await payments.createInvoice(customerId, singleInvoice({ lines }));
    await payments.finalizeInvoice(credit.id);
    expect(await read(credit.id)).toMatchObject({ status: 'paid', total: -5000, amountDue: 0, amountPaid: 0 });
    const [first, second] = [singleInvoice(), singleInvoice()];
    for (const one of [first, second])
      await payments.finalizeInvoice((await payments.createInvoice(customerId, one)).id);
    const [paid, open] = [
      await payments.createInvoice(customerId, first),
      await payments.createInvoice(customerId, second),
    ];
    expect(paid).toMatchObject({ status: 'paid', total: 3003, amountDue: 0 });
    expect(open).toMatchObject({ status: 'open', total: 3003, amountDue: 1006 });
  });

  test('only the draft of a single invoice can be deleted, and deleting it twice has no effect', async () => {
    const customerId = await newCustomer();
    const { id } = await payments.createInvoice(customerId, singleInvoice());
    await payments.deleteDraft(id);
    await payments.deleteDraft(id);
    expect(await payments.findInvoice(id)).toBeUndefined();
    await expect(payments.deleteDraft((await openInvoice()).id)).rejects.toMatchObject(refused);
    await expect(payments.finalizeInvoice(id)).rejects.toMatchObject({ reason: 'not_found' });
  });

  test('a single invoice of a subscriber is not one of the subscription, and does not affect it', async () => {
    const { subscriptionId, customerId } = await buy(suite.app, basic);
    const { id } = await payments.createInvoice(customerId, singleInvoice());
    await payments.finalizeInvoice(id);
    await sandbox.changeCard(customerId, card('failsLater'));
    await expect(payments.retryInvoice(id)).rejects.toMatchObject({ reason: 'declined' });
    expect(await payments.findSubscription(subscriptionId)).toMatchObject({ status: 'active' });
    expect((await payments.listInvoices(subscriptionId)).map((one) => one.id)).not.toContain(id);
    const renewal = (await payments.findSubscription(subscriptionId))?.currentPeriodEndsAt ?? '';
    await sandbox.advanceClock({ to: renewal });
    expect(await payments.findSubscription(subscriptionId)).toMatchObject({ status: 'past_due' });
    await payments.voidInvoice(id);
    expect(await payments.findSubscription(subscriptionId)).toMatchObject({ status: 'past_due' });
  });

  test.each([
    { lines: [] },
    { lines: [{ ...line, quantity: 0 }] },
    { lines: [{ ...line, unitAmount: 1.5 }] },
    { lines: [{ ...line, quantity: 2, unitAmount: 60_000_000 }] },
    { currency: 'EUR' },
  ])('a single invoice with %j is refused', async (fields) => {
    const customerId = await newCustomer();
    await expect(payments.createInvoice(customerId, singleInvoice(fields))).rejects.toMatchObject(refused);
  });
});

describe('a refund', () => {
  test('a refund has one credit note per reference, also after months', async () => {
    const { invoice } = await paidInvoice();
    const refund = refundOf(500);
    const notes = await Promise.all([1, 2, 3].map(() => payments.refundInvoice(invoice.id, refund)));
    await sandbox.advanceClock({ to: addDays(invoice.createdAt, 200) });
    notes.push(await payments.refundInvoice(invoice.id, refund));
    expect(new Set(notes.map(({ id }) => id)).size).toBe(1);
    expect(notes[0]).toMatchObject({ invoiceId: invoice.id, reference: refund.reference, amount: 500, tax: 80 });
    expect((await read(invoice.id)).creditNotes).toEqual([notes[0]]);
    const other = { ...refund, amount: 501 };
    await expect(payments.refundInvoice(invoice.id, other)).rejects.toMatchObject(refused);
  });

  test('only what was paid by card is paid back, not what was paid with credit', async () => {
    const { id, customerId } = await openInvoice();
    await payments.voidInvoice(id);
    await payments.addCredit(customerId, { amount: 3000, currency: 'eur', reason: 'sorry' }, 'key');
    await sandbox.changeCard(customerId, card('good'));
    const second = await payments.createInvoice(customerId, singleInvoice());
    await expect(payments.refundInvoice(second.id, refundOf(1))).rejects.toMatchObject(refused);
    await payments.finalizeInvoice(second.id);
    await payments.retryInvoice(second.id);
    expect(await read(second.id)).toMatchObject({ total: 3003, amountDue: 3, amountPaid: 3 });
    await expect(payments.refundInvoice(second.id, refundOf(4))).rejects.toMatchObject(refused);
    expect(await payments.refundInvoice(second.id, refundOf(3))).toMatchObject({ amount: 3, tax: 0 });
  });

  test.each([0, -1, 1.5, Number.NaN])('a refund of %d is refused', async (amount) => {
    const { invoice } = await paidInvoice();
    await expect(payments.refundInvoice(invoice.id, refundOf(amount))).rejects.toMatchObject(refused);
  });

  test('a plan change credits no more than what is left after refunds', async () => {
    const { invoice, subscriptionId } = await paidInvoice();
    await payments.refundInvoice(invoice.id, refundOf(1190));
    const preview = await payments.previewChange(subscriptionId, pro);
    expect(preview.lines.map(({ amount }) => amount)).toEqual([0, 3000]);
    expect(preview.amountDue).toBe(3570);
  });
});

describe('the taxes of a subscription', () => {
  test('every invoice and preview has the tax of the address, and a reverse charge has none', async () => {
    const { invoice, subscriptionId, customerId } = await paidInvoice(detailsIn('CH'));
    const line = { country: 'CH', ratePercent: 8.1, treatment: 'standard', base: 1000, amount: 81 };
    expect(invoice).toMatchObject({ subtotal: 1000, tax: 81, taxes: [line], total: 1081, amountPaid: 1081 });
    await payments.updateCustomer(customerId, detailsIn('AT'));
    expect((await payments.previewRenewal(subscriptionId))?.amountDue).toBe(1200);
    await payments.updateCustomer(customerId, detailsIn('AT', 'ATU13585627'));
    expect((await payments.previewRenewal(subscriptionId))?.amountDue).toBe(1000);
  });
});

describe('the draft of an unpaid subscription', () => {
  test('a finalized draft waits for a payment, which reactivates the subscription, and it cannot be deleted', async () => {
    const { subscriptionId, customerId } = await buy(suite.app, basic, 'failsLater', { details: detailsIn('DE') });
    const end = async () => (await payments.findSubscription(subscriptionId))?.currentPeriodEndsAt ?? '';
    await sandbox.advanceClock({ to: await end() });
    await sandbox.advanceClock({ to: await end() });
    const [draft, unpaid] = await payments.listInvoices(subscriptionId);
    expect([draft?.status, unpaid?.status]).toEqual(['draft', 'open']);
    await expect(payments.deleteDraft(draft?.id ?? '')).rejects.toMatchObject(refused);
    await payments.finalizeInvoice(draft?.id ?? '');
    const open = await read(draft?.id ?? '');
    expect(open).toMatchObject({ status: 'open', collectionMethod: 'charge', total: 1190, attemptCount: 0 });
    expect(open.dueAt).toBe(open.finalizedAt);
    await sandbox.changeCard(customerId, card('good'));
    await payments.retryInvoice(open.id);
    expect(await payments.findSubscription(subscriptionId)).toMatchObject({ status: 'active' });
    // The paid period is credited, also after the draft has waited.
    const [unused] = (await payments.previewChange(subscriptionId, pro)).lines;
    expect(unused?.amount).toBe(-1000);
  });
});

describe('the events of invoices', () => {
  test('the events of a single invoice and of its refund name the invoice and no subscription', async () => {
    const { id, customerId } = await openInvoice();
    await sandbox.changeCard(customerId, card('good'));
    await payments.retryInvoice(id);
    const note = await payments.refundInvoice(id, refundOf(100));
    const rows = await suite.app.services.platform.query.selectFrom('sandbox_events').select('body').execute();
    const objects = rows.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.object.invoice === id);
    expect(objects.map(({ type }) => type).toSorted()).toEqual(
      ['invoice.created', 'invoice.finalized', 'invoice.paid', 'charge.refunded', 'credit_note.created'].toSorted(),
    );
    expect(objects.map(({ data }) => data.object.subscription)).toEqual([null, null, null, null, null]);
    expect(objects.find(({ type }) => type === 'credit_note.created').data.object.id).toBe(note.id);
  });
});
