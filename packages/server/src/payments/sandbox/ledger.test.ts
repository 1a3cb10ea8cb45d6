import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays } from '../../lib/duration.ts';
import { type CustomerDetails, type Discount, PaymentProviderError } from '../provider.ts';
import { periodEnd, sumOf } from './amounts.ts';
import type { Card } from './cards.ts';
import { addDraft, attachCard, collect, finalizeInvoice, refundPart, settleUnpaid } from './invoices.ts';
import { type SandboxInvoice, subscriptionOf, type Work } from './state.ts';
import {
  cancelAtOnce,
  changePlan,
  extendTrial,
  openAccount,
  type Purchase,
  passTime,
  setCancelAtPeriodEnd,
} from './subscription.ts';

// Random lives of an account, in currencies with 0, 2 and 3 decimal places. A ledger beside it notes only what the card
// paid and what was granted, and must explain every amount at any time.

const start = '2026-01-31T12:00:00.000000Z';
const rates = { DE: 19, AT: 20, CH: 8.1, US: 8.8875 };
const taxRules = { sellerCountry: 'DE', rates: new Map(Object.entries(rates)) };
const goodCard: Card = { brand: 'Visa', last4: '4242', behaviour: 'succeeds' };
const badCard: Card = { brand: 'Visa', last4: '0341', behaviour: 'fails_later' };

const amounts = fc.oneof(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 99_999_999 }), fc.constant(2900));
const address = { line1: '1', line2: null, city: 'X', postal_code: null, state: null };
const detailsIn = (country: string, taxId: string | null = null): CustomerDetails => {
  return { name: 'Ada', email: 'ada@example.com', address: { ...address, country }, taxId };
};
const details = fc.constantFrom(
  null,
  ...[...Object.keys(rates), 'FR'].map((one) => detailsIn(one)),
  detailsIn('AT', 'ATU13585627'),
);
const discounts = fc
  .record({ percent: fc.integer({ min: 1, max: 10_000 }), amount: amounts, isPercent: fc.boolean() })
  .chain(({ percent, amount, isPercent }) =>
    fc.record<Discount>({
      couponCode: fc.constant('SAVE'),
      percentOff: fc.constant(isPercent ? percent / 100 : null),
      amountOff: fc.constant(isPercent ? null : amount),
      duration: fc.constantFrom('once', 'forever'),
      endsAt: fc.constantFrom(null, addDays(start, 45), addDays(start, 200)),
    }),
  );
const prices = fc.record({ interval: fc.constantFrom('month', 'year'), amount: amounts });
const purchases: fc.Arbitrary<Purchase> = fc
  .record({
    currency: fc.constantFrom('jpy', 'eur', 'kwd'),
    price: prices,
    trialDays: fc.constantFrom(0, 0, 1, 14, 40),
    card: fc.constantFrom(goodCard, badCard),
    details,
    discount: fc.option(discounts),
  })
  .map(({ currency, price, ...rest }) => {
    return { ...rest, reference: 'ref', price: { planCode: 'plan', planName: 'Plan', currency, ...price }, taxRules };
  });

interface Life {
  readonly work: Work;
  now: string;
  granted: number;
  references: number;
}

/** A step of a life. It may throw a refusal, which must change nothing. */
type Step = (life: Life) => unknown;

const step = <Input>(weight: number, inputs: fc.Arbitrary<Input>, perform: (life: Life, input: Input) => unknown) => ({
  weight,
  arbitrary: inputs.map(
    (input): Step =>
      (life) =>
        perform(life, input),
  ),
});
const ofStatus = ({ work }: Life, status: SandboxInvoice['status'], index: number) => {
  const found = work.invoices.filter((invoice) => invoice.status === status);
  return found[index % found.length];
};

const steps = fc.oneof(
  step(4, fc.integer({ min: 1, max: 70 }), (life, days) => {
    life.now = addDays(life.now, days);
    passTime(life.work, life.now);
  }),
  step(
    4,
    fc.tuple(prices, fc.constantFrom('now', 'now', 'now_unprorated', 'period_end')),
    ({ work, now }, [price, when]) => changePlan(work, { ...subscriptionOf(work).price, ...price }, when, now),
  ),
  step(3, fc.tuple(fc.nat(), fc.integer({ min: 1, max: 100 })), (life, [index, percent]) => {
    const invoice = ofStatus(life, 'paid', index);
    if (invoice === undefined) return;
    // Sometimes more than is left, which must be refused.
    const amount = Math.ceil(((invoice.amountPaid - sumOf(invoice.creditNotes)) * percent) / 90);
    life.references += 1;
    const refund = { reference: `r${life.references}`, amount, reason: 'sorry' };
    expect(refundPart(life.work, invoice, refund, life.now)).toBe(refundPart(life.work, invoice, refund, life.now));
  }),
  step(2, amounts, (life, amount) => {
    const { balance } = life.work.account;
    const { currency } = subscriptionOf(life.work).price;
    balance[currency] = (balance[currency] ?? 0) + amount;
    life.granted += amount;
  }),
  step(2, fc.tuple(fc.nat(), fc.constantFrom('void', 'uncollectible', 'pay')), (life, [index, action]) => {
    const invoice = ofStatus(life, 'open', index);
    if (invoice === undefined) return;
    if (action === 'pay') collect(life.work, invoice, life.now);
    else settleUnpaid(life.work, invoice, action, life.now);
  }),
  step(1, fc.constantFrom(goodCard, badCard), ({ work, now }, card) => attachCard(work, card, now)),
  step(3, details, ({ work }, moved) => {
    work.account.details = moved;
  }),
  step(1, discounts, ({ work }, discount) => {
    subscriptionOf(work).discount = discount;
  }),
  step(1, fc.boolean(), ({ work, now }, cancels) => setCancelAtPeriodEnd(work, cancels, now)),
  step(1, fc.integer({ min: 1, max: 60 }), ({ work, now }, days) => extendTrial(work, addDays(now, days), now)),
  step(1, fc.integer({ min: -9999, max: 99_999 }), (life, amount) => {
    const { work, now } = life;
    life.references += 1;
    const lines = [{ description: 'Work', quantity: 1, amount, periodStartsAt: null, periodEndsAt: null }];
    const fields = { id: `in_${life.references}`, subscriptionId: null, couponCode: null, dueInDays: 14 };
    const { currency } = subscriptionOf(work).price;
    const invoice = addDraft(work, { lines, discount: 0 }, now, { ...fields, currency, collectionMethod: 'send' });
    finalizeInvoice(work, invoice, now);
    if (invoice.amountDue === 0) collect(work, invoice, now);
  }),
  // Seldom, because nothing renews afterwards.
  step(1, fc.nat(9), ({ work, now }, number) => number === 0 && cancelAtOnce(work, now)),
);

function assertInvoice(invoice: SandboxInvoice): void {
  const { lines, subtotal, discount, tax, taxes, total, status, amountDue, amountPaid, creditNotes } = invoice;
  expect([sumOf(lines), subtotal - discount + tax, sumOf(taxes)]).toEqual([subtotal, total, tax]);
  for (const { base } of taxes) expect(base).toBe(subtotal - discount);
  expect(discount >= 0 && discount <= Math.max(0, subtotal)).toBe(true);
  expect(amountDue >= 0 && amountDue <= Math.max(0, total)).toBe(true);
  expect(amountPaid).toBe(status === 'paid' ? amountDue : 0);
  const refunded = sumOf(creditNotes);
  expect(refunded).toBeLessThanOrEqual(amountPaid);
  // The refunded tax is the nearest integer to the refunded part of the tax, however many parts there are.
  const refundedTax = creditNotes.reduce((sum, note) => sum + note.tax, 0);
  const twiceTheError = 2n * (BigInt(refundedTax) * BigInt(total) - BigInt(tax) * BigInt(refunded));
  expect(total <= 0 || (twiceTheError <= BigInt(total) && -twiceTheError <= BigInt(total))).toBe(true);
  for (const value of [subtotal, discount, tax, total, amountDue, amountPaid, refunded]) {
    expect(Number.isSafeInteger(value) && !Object.is(value, -0)).toBe(true);
  }
}

/** Checks that the card's payments, the granted credit and the balance explain the invoices, and nothing else does. */
function assertConservation({ work, granted }: Life): void {
  const balance = work.account.balance[subscriptionOf(work).price.currency] ?? 0;
  let [paid, settled] = [0, 0];
  for (const invoice of work.invoices) {
    assertInvoice(invoice);
    const { status, total, amountDue, amountPaid } = invoice;
    paid += amountPaid;
    if (status === 'paid') settled += total;
    // Credit that an unpaid invoice has taken is neither in the balance nor paid back, except for a void invoice.
    if (status === 'open' || status === 'uncollectible') settled += total - amountDue;
  }
  expect(balance >= 0 && Number.isSafeInteger(balance)).toBe(true);
  expect(paid + granted - balance).toBe(settled);
}

/** Performs a step as the sandbox does: a refusal changes nothing. */
function perform(life: Life, taken: Step): void {
  const { account, invoices, events } = life.work;
  const before = structuredClone({ account, invoices, events });
  try {
    taken(life);
  } catch (error) {
    if (!(error instanceof PaymentProviderError)) throw error;
    Object.assign(account, before.account);
    invoices.splice(0, invoices.length, ...before.invoices);
    events.splice(0, events.length, ...before.events);
  }
}

test('no sequence of changes makes a minor unit appear or vanish, in currencies with 0, 2 and 3 decimal places', () => {
  const seen = { refunds: 0, discounts: 0, negative: 0, partlyCredited: 0, voids: 0 };
  fc.assert(
    fc.property(purchases, fc.array(steps, { minLength: 1, maxLength: 40 }), (purchase, taken) => {
      const life: Life = { work: openAccount(purchase, start), now: start, granted: 0, references: 0 };
      assertConservation(life);
      for (const one of taken) {
        perform(life, one);
        assertConservation(life);
      }
      const count = (matches: (invoice: SandboxInvoice) => boolean) => life.work.invoices.filter(matches).length;
      seen.refunds += count(({ creditNotes }) => creditNotes.length > 1);
      seen.discounts += count(({ discount }) => discount > 0);
      seen.negative += count(({ total }) => total < 0);
      seen.partlyCredited += count(({ total, amountPaid }) => amountPaid > 0 && amountPaid < total);
      seen.voids += count(({ status }) => status === 'void');
    }),
    { numRuns: 600 },
  );
  // The random lives reach what the property is about.
  for (const [name, count] of Object.entries(seen)) expect(count, name).toBeGreaterThan(0);
});

test.each([
  ['2026-01-31', 'month', ['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31']],
  ['2026-12-31', 'month', ['2027-01-31', '2027-02-28']],
  ['2028-02-29', 'year', ['2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29']],
] as const)('a period from %s by the %s ends on that day, or on the last of a shorter month', (day, interval, ends) => {
  const time = 'T23:59:59.123000Z';
  let startsAt = day + time;
  for (const end of ends) {
    startsAt = periodEnd(day + time, interval, startsAt);
    expect(startsAt).toBe(end + time);
  }
});
