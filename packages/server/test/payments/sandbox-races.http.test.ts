import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { PaymentProviderError, type PlanPrice, type ProviderInvoice } from '../../src/payments/provider.ts';
import { findAccount } from '../../src/payments/sandbox/store.ts';
import { engine, startApp, stopApp, type TestApp, useApp, useClock } from '../support/harness.ts';
import { buy, card, dayMs, newCheckout, price as priceOf, sandboxOf } from './sandbox-data.ts';

// What the sandbox stores when much happens at the same time. On PostgreSQL the calls alternate between two nodes,
// because the transactions of one process wait for each other. The pure engine has its own random test beside it.

const env = { PAYMENT_PROVIDER: 'sandbox', SELLER_COUNTRY: 'DE', TAX_RATES: 'DE=19,AT=20', LOG_LEVEL: 'warn' };
const suite = useApp(env);
useClock();
let nodes: TestApp[] = [];

beforeAll(async () => {
  nodes = [suite.app];
  if (engine === 'postgres') nodes.push(await startApp(suite.app.site, env));
});

afterAll(async () => {
  for (const node of nodes.slice(1)) await stopApp(node);
});

const address = { line1: 'Street 1', line2: null, city: 'City', postal_code: null, state: null, country: 'DE' };
const details = { name: 'Ada', email: 'ada@example.com', address, taxId: null };

interface Customer {
  readonly subscriptionId: string;
  readonly customerId: string;
  readonly price: PlanPrice;
  readonly singleInvoices: string[];
  granted: number;
}

type Operation = (customer: Customer, index: number) => Promise<unknown>;

let calls = 0;

/** Returns the sandbox of the next node. */
function sandboxNow() {
  const node = nodes[calls % nodes.length];
  calls += 1;
  if (node === undefined) throw new Error('No node was started.');
  return sandboxOf(node);
}

const provider = () => sandboxNow().payments;
const times = <Result>(count: number, work: () => Promise<Result>) =>
  Promise.allSettled(Array.from({ length: count }, () => work()));
const fulfilled = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.filter(({ status }) => status === 'fulfilled').length;

async function invoicesOf({ subscriptionId, singleInvoices }: Customer): Promise<ProviderInvoice[]> {
  const singles = await Promise.all(singleInvoices.map((id) => provider().findInvoice(id)));
  return [...(await provider().listInvoices(subscriptionId)), ...singles.filter((one) => one !== undefined)];
}

async function chooseInvoice(customer: Customer, index: number): Promise<string> {
  const invoices = await invoicesOf(customer);
  return invoices[index % invoices.length]?.id ?? '';
}

const operations: readonly Operation[] = [
  ({ subscriptionId, price }, index) =>
    provider().changePlan(subscriptionId, { ...price, amount: index * 37 }, 'now', newId()),
  ({ subscriptionId, price }, index) =>
    provider().changePlan(subscriptionId, { ...price, interval: 'year', amount: index * 371 }, 'now', newId()),
  async (customer, index) => {
    const refund = { reference: newId(), amount: (index % 700) + 1, reason: 'sorry' };
    await provider().refundInvoice(await chooseInvoice(customer, index), refund);
  },
  async (customer, index) => {
    const credit = { amount: index, currency: customer.price.currency, reason: 'sorry' };
    const key = newId();
    await Promise.all([1, 2].map(() => provider().addCredit(customer.customerId, credit, key)));
    customer.granted += index;
  },
  async (customer, index) => {
    const lines = [{ description: 'Work', quantity: 1 + (index % 3), unitAmount: index - 200 }];
    const invoice = { reference: newId(), currency: customer.price.currency, lines, dueInDays: 14 };
    const { id } = await provider().createInvoice(customer.customerId, invoice);
    customer.singleInvoices.push(id);
    await Promise.all([1, 2].map(() => provider().finalizeInvoice(id)));
  },
  async (customer, index) => {
    const id = await chooseInvoice(customer, index);
    await Promise.all([provider().retryInvoice(id), provider().voidInvoice(id)]);
  },
  ({ subscriptionId }, index) => provider().applyCoupon(subscriptionId, index % 2 ? 'HALF' : 'TEN', newId()),
  ({ customerId }, index) => sandboxNow().sandbox.changeCard(customerId, card(index % 2 ? 'good' : 'failsLater')),
  ({ customerId }, index) =>
    provider().updateCustomer(customerId, { ...details, address: { ...address, country: index % 2 ? 'AT' : 'DE' } }),
];

const waits = { weight: 1, arbitrary: fc.integer({ min: 1, max: 40 }) };
const batches = {
  weight: 4,
  arbitrary: fc.array(fc.tuple(fc.nat(operations.length - 1), fc.integer({ min: 0, max: 3000 })), {
    minLength: 2,
    maxLength: 5,
  }),
};

/** Runs operations at the same time. A refusal is an outcome like any other; a failure is not. */
async function runTogether(customer: Customer, batch: readonly (readonly [number, number])[]): Promise<void> {
  const outcomes = await Promise.allSettled(batch.map(([kind, index]) => operations[kind]?.(customer, index)));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected' && !(outcome.reason instanceof PaymentProviderError)) throw outcome.reason;
  }
}

async function assertConservation(customer: Customer): Promise<void> {
  const invoices = await invoicesOf(customer);
  const account = await findAccount(suite.app.services.platform.query, customer.customerId);
  let [paid, settled] = [0, 0];
  for (const { lines, subtotal, discount, tax, taxes, total, status, amountDue, amountPaid, creditNotes } of invoices) {
    const add = (amounts: readonly { readonly amount: number }[]) => amounts.reduce((sum, one) => sum + one.amount, 0);
    expect([add(lines), add(taxes), subtotal - discount + tax]).toEqual([subtotal, tax, total]);
    expect(add(creditNotes)).toBeLessThanOrEqual(amountPaid);
    paid += amountPaid;
    if (status === 'paid') settled += total;
    if (status === 'open') settled += total - amountDue;
  }
  expect(paid + customer.granted - (account?.balance[customer.price.currency] ?? 0)).toBe(settled);
}

test('operations at the same time neither lose nor create a minor unit, in currencies with 0, 2 and 3 decimal places', async () => {
  const terms = { name: 'Save', expiresAt: null, maxRedemptions: null, durationMonths: null } as const;
  const half = {
    ...terms,
    code: 'HALF',
    percentOff: 50,
    amountOff: null,
    currency: null,
    duration: 'forever',
  } as const;
  await provider().createCoupon(half);
  await provider().createCoupon({ ...half, code: 'TEN', percentOff: 10.01, duration: 'once' });
  const lives = fc.asyncProperty(
    fc.constantFrom('jpy', 'eur', 'kwd'),
    fc.array(fc.oneof(waits, batches), { minLength: 4, maxLength: 8 }),
    async (currency, steps) => {
      const price = { planCode: 'plan', planName: 'Plan', interval: 'month', currency, amount: 1999 } as const;
      const bought = await buy(suite.app, price, 'good', { details });
      const customer: Customer = { ...bought, price, singleInvoices: [], granted: 0 };
      for (const step of steps) {
        if (typeof step === 'number') await sandboxNow().sandbox.advanceClock({ byMs: step * dayMs });
        else await runTogether(customer, step);
        await assertConservation(customer);
      }
      // Nothing of this customer becomes due in the lives after it.
      await provider().cancelNow(customer.subscriptionId);
    },
  );
  await fc.assert(lives, { numRuns: 5, endOnFailure: true });
});

test('twenty refunds at once pay back what was paid, and exactly its tax', async () => {
  const { subscriptionId } = await buy(suite.app, priceOf('basic', 1000), 'good', { details });
  const [invoice] = await provider().listInvoices(subscriptionId);
  expect(invoice).toMatchObject({ tax: 190, amountPaid: 1190 });
  const refund = () => ({ reference: newId(), amount: 119, reason: 'sorry' });
  expect(fulfilled(await times(20, () => provider().refundInvoice(invoice?.id ?? '', refund())))).toBe(10);
  const notes = (await provider().findInvoice(invoice?.id ?? ''))?.creditNotes ?? [];
  expect(notes.reduce((sum, { amount }) => sum + amount, 0)).toBe(1190);
  expect(notes.reduce((sum, { tax }) => sum + tax, 0)).toBe(190);
});

test('twenty customers at once redeem a coupon as often as it allows, and no more', async () => {
  const terms = {
    code: 'FEW',
    name: 'Few',
    percentOff: 50,
    amountOff: null,
    currency: null,
    duration: 'forever',
  } as const;
  await provider().createCoupon({ ...terms, durationMonths: null, expiresAt: null, maxRedemptions: 3 });
  const checkouts = await Promise.all(
    Array.from({ length: 20 }, () => provider().createCheckout(newCheckout(priceOf('basic', 1000)))),
  );
  const paid = await Promise.allSettled(
    checkouts.map(({ id }) => sandboxNow().sandbox.pay(id, card('good'), { coupon: 'FEW' })),
  );
  expect(fulfilled(paid)).toBe(3);
  for (const one of paid) if (one.status === 'rejected') expect(one.reason).toMatchObject({ reason: 'refused' });
  expect(await provider().countRedemptions('FEW')).toBe(3);
});

test('a single invoice and a refund exist once, however many nodes create them at once', async () => {
  const customerId = await provider().createCustomer(newId(), details);
  const lines = [{ description: 'Work', quantity: 1, unitAmount: 1000 }];
  const invoice = { reference: newId(), currency: 'eur', lines, dueInDays: 14 };
  const made = await Promise.all([1, 2, 3, 4].map(() => provider().createInvoice(customerId, invoice)));
  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  const id = made[0]?.id ?? '';
  await Promise.all([1, 2, 3, 4].map(() => provider().finalizeInvoice(id)));
  await sandboxNow().sandbox.changeCard(customerId, card('good'));
  expect(fulfilled(await times(4, () => provider().retryInvoice(id)))).toBe(1);
  const refund = { reference: newId(), amount: 500, reason: 'sorry' };
  const notes = await Promise.all([1, 2, 3, 4].map(() => provider().refundInvoice(id, refund)));
  expect(new Set(notes.map((note) => note.id)).size).toBe(1);
  expect((await provider().findInvoice(id))?.creditNotes).toEqual([notes[0]]);
});
