import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays } from '../../lib/duration.ts';
import { type CustomerDetails, type Discount, PaymentProviderError, type PlanPrice } from '../provider.ts';
import { attachCard } from './accounts.ts';
import { sumOf } from './amounts.ts';
import type { Card } from './cards.ts';
import { refundPart } from './customers.ts';
import { passTime } from './due.ts';
import { addDraft, finalizeInvoice } from './invoices.ts';
import { extendTrial, openAccount, type Purchase } from './purchase.ts';
import { type SandboxInvoice, subscriptionOf, type Work } from './state.ts';
import {
  cancelAtOnce,
  dropPendingChange,
  payNow,
  planChanges,
  setCancelAtPeriodEnd,
  settleUnpaid,
} from './subscription.ts';

// Random lives of an account, in currencies with 0, 2 and 3 decimal places. A ledger beside it notes only what the card
// paid and what was granted, and must explain every amount at any time.

const start = '2026-01-31T12:00:00.000000Z';
const taxRules = {
  sellerCountry: 'DE',
  rates: new Map([
    ['DE', 19],
    ['AT', 20],
    ['CH', 8.1],
    ['US', 8.8875],
  ]),
};

const goodCard: Card = { brand: 'Visa', last4: '4242', behaviour: 'succeeds' };
const badCard: Card = { brand: 'Visa', last4: '0341', behaviour: 'fails_later' };

const amounts = fc.oneof(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 99_999_999 }), fc.constant(2900));
const currencies = fc.constantFrom('jpy', 'eur', 'kwd');
const intervals = fc.constantFrom('month', 'year');
const percents = fc.integer({ min: 1, max: 10_000 }).map((basisPoints) => basisPoints / 100);
const locations = fc.constantFrom(null, ['DE', null], ['AT', null], ['AT', 'ATU13585627'], ['US', null], ['FR', null]);
const detailsOf = (location: readonly (string | null)[] | null): CustomerDetails | null =>
  location && {
    name: 'Ada',
    email: 'ada@example.com',
    address: { line1: '1', line2: null, city: 'X', postal_code: null, state: null, country: location[0] ?? '' },
    taxId: location[1] ?? null,
  };
const details = locations.map(detailsOf);
const discounts: fc.Arbitrary<Discount> = fc
  .tuple(fc.oneof(percents, amounts), fc.boolean(), fc.constantFrom('once', 'repeating', 'forever'), fc.nat(6))
  .map(([value, isPercent, duration, months]) => ({
    couponCode: 'SAVE',
    percentOff: isPercent ? Math.min(100, Math.max(0.01, value)) : null,
    amountOff: isPercent ? null : Math.round(value),
    duration,
    endsAt: duration === 'repeating' ? addDays(start, 30 * (months + 1)) : null,
  }))
  .map((discount) =>
    discount.percentOff === null ? discount : { ...discount, percentOff: Math.round(discount.percentOff * 100) / 100 },
  );
const prices = fc.record({ interval: intervals, amount: amounts });

interface Ledger {
  /** What the card paid for each invoice, by its id. */
  readonly paid: Map<string, number>;
  granted: number;
  refunded: number;
  referenceCount: number;
}

interface Life {
  readonly work: Work;
  readonly ledger: Ledger;
  now: string;
}

/** A step of a life. It may throw a refusal, which must change nothing. */
type Step = (life: Life) => void;

const priceOf = ({ work }: Life, { interval, amount }: { interval: 'month' | 'year'; amount: number }): PlanPrice => ({
  planCode: 'plan',
  planName: 'Plan',
  currency: subscriptionOf(work).price.currency,
  interval,
  amount,
});
const pick = <Item>(items: readonly Item[], index: number): Item | undefined =>
  items.length === 0 ? undefined : items[index % items.length];
const withStatus = ({ work }: Life, status: SandboxInvoice['status']) =>
  work.invoices.filter((invoice) => invoice.status === status);

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.integer({ min: 1, max: 70 }).map(
      (days): Step =>
        (life) =>
          advance(life, days),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(prices, fc.constantFrom('now', 'now', 'now_unprorated', 'period_end')).map(
      ([price, when]): Step =>
        (life) =>
          planChanges[when](life.work, priceOf(life, price), life.now),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(), fc.integer({ min: 1, max: 100 })).map(
      ([index, percent]): Step =>
        (life) =>
          refund(life, index, percent),
    ),
  },
  fc.nat().map(
    (index): Step =>
      (life) => {
        const note = withStatus(life, 'paid').flatMap((invoice) =>
          invoice.creditNotes.map((one) => ({ invoice, one })),
        );
        const again = pick(note, index);
        if (again === undefined) return;
        const { reference, amount } = again.one;
        const same = { reference: reference ?? '', amount, reason: 'again' };
        expect(() => refundPart(life.work, again.invoice, same, life.now)).not.toThrow();
      },
  ),
  {
    weight: 2,
    arbitrary: amounts.map(
      (amount): Step =>
        ({ work, ledger }) => {
          const { currency } = subscriptionOf(work).price;
          work.account.balance[currency] = (work.account.balance[currency] ?? 0) + amount;
          ledger.granted += amount;
        },
    ),
  },
  fc.tuple(fc.nat(), fc.constantFrom('void', 'uncollectible')).map(
    ([index, status]): Step =>
      (life) => {
        const invoice = pick(withStatus(life, 'open'), index);
        if (invoice !== undefined) settleUnpaid(life.work, invoice, status, life.now);
      },
  ),
  fc.nat().map(
    (index): Step =>
      (life) => {
        const invoice = pick(withStatus(life, 'open'), index);
        if (invoice !== undefined) payNow(life.work, invoice, life.now);
      },
  ),
  fc.constantFrom(goodCard, badCard).map(
    (card): Step =>
      ({ work, now }) =>
        attachCard(work, card, now),
  ),
  {
    weight: 3,
    arbitrary: details.map(
      (moved): Step =>
        ({ work }) => {
          work.account.details = moved;
        },
    ),
  },
  discounts.map(
    (discount): Step =>
      ({ work, now }) => {
        const { duration } = discount;
        const endsAt = duration === 'repeating' ? addDays(now, 45) : null;
        subscriptionOf(work).discount = { ...discount, endsAt };
      },
  ),
  fc.boolean().map(
    (cancels): Step =>
      ({ work, now }) =>
        setCancelAtPeriodEnd(work, cancels, now),
  ),
  fc.integer({ min: 1, max: 60 }).map(
    (days): Step =>
      ({ work, now }) =>
        extendTrial(work, addDays(now, days), now),
  ),
  fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: -9999, max: 99_999 })), { minLength: 1 }).map(
    (lines): Step =>
      (life) =>
        bill(life, lines),
  ),
  fc.constant<Step>(({ work, now }) => dropPendingChange(work, now)),
  // Seldom, because nothing renews afterwards.
  fc.nat(9).map(
    (number): Step =>
      ({ work, now }) => {
        if (number === 0) cancelAtOnce(work, now);
      },
  ),
);

function advance(life: Life, days: number): void {
  life.now = addDays(life.now, days);
  while (passTime(life.work, life.now));
}

function refund({ work, ledger, now }: Life, index: number, percent: number): void {
  const invoice = pick(
    work.invoices.filter(({ amountPaid }) => amountPaid > 0),
    index,
  );
  if (invoice === undefined) return;
  const rest = invoice.amountPaid - sumOf(invoice.creditNotes);
  ledger.referenceCount += 1;
  // Sometimes more than is left, which must be refused.
  const amount = Math.ceil((rest * percent) / 90);
  const note = refundPart(work, invoice, { reference: `r${ledger.referenceCount}`, amount, reason: 'sorry' }, now);
  ledger.refunded += note.amount;
}

/** Refunds what is left of each payment, in three parts. A payment of the whole total gives the whole tax back. */
function refundAll(life: Life): void {
  for (const invoice of life.work.invoices) {
    for (const divisor of [3, 2, 1]) {
      const rest = invoice.amountPaid - sumOf(invoice.creditNotes);
      const amount = Math.ceil(rest / divisor);
      life.ledger.referenceCount += 1;
      const reference = `r${life.ledger.referenceCount}`;
      if (amount > 0) refundPart(life.work, invoice, { reference, amount, reason: 'all' }, life.now);
      life.ledger.refunded += amount;
    }
    const { creditNotes, tax, total, amountPaid } = invoice;
    if (amountPaid === total) expect(creditNotes.reduce((sum, note) => sum + note.tax, 0)).toBe(total > 0 ? tax : 0);
  }
}

/** Creates and finalizes a single invoice. */
function bill({ work, ledger, now }: Life, given: readonly (readonly [number, number])[]): void {
  ledger.referenceCount += 1;
  const lines = given.map(([quantity, unitAmount]) => {
    return { description: 'Work', quantity, amount: quantity * unitAmount, periodStartsAt: null, periodEndsAt: null };
  });
  const { currency } = subscriptionOf(work).price;
  const fields = { id: `in_${ledger.referenceCount}`, subscriptionId: null, couponCode: null, dueInDays: 14 };
  const invoice = addDraft(work, { lines, discount: 0 }, now, { ...fields, currency, collectionMethod: 'send' });
  finalizeInvoice(work, invoice, now);
  if (invoice.amountDue === 0) payNow(work, invoice, now);
}

function assertInvoice(invoice: SandboxInvoice): void {
  const { subtotal, discount, tax, taxes, total, amountDue, amountPaid, creditNotes } = invoice;
  expect(sumOf(invoice.lines)).toBe(subtotal);
  expect(subtotal - discount + tax).toBe(total);
  expect(sumOf(taxes)).toBe(tax);
  expect(taxes.length === 0 ? subtotal - discount : taxes.reduce((sum, { base }) => sum + base, 0)).toBe(
    subtotal - discount,
  );
  expect(discount >= 0 && discount <= Math.max(0, subtotal)).toBe(true);
  expect(amountDue >= 0 && amountDue <= Math.max(0, total)).toBe(true);
  expect(amountPaid).toBe(invoice.status === 'paid' ? amountDue : 0);
  const refunded = sumOf(creditNotes);
  expect(refunded <= amountPaid).toBe(true);
  // The refunded tax is the nearest integer to the refunded part of the tax, however many parts there are.
  const refundedTax = creditNotes.reduce((sum, note) => sum + note.tax, 0);
  const twiceTheError = 2n * (BigInt(refundedTax) * BigInt(total) - BigInt(tax) * BigInt(refunded));
  expect(total <= 0 || (twiceTheError <= BigInt(total) && -twiceTheError <= BigInt(total))).toBe(true);
  expect(new Set(creditNotes.map(({ reference }) => reference)).size).toBe(creditNotes.length);
  for (const value of [subtotal, discount, tax, total, amountDue, amountPaid, refunded]) {
    expect(Number.isSafeInteger(value) && !Object.is(value, -0)).toBe(true);
  }
}

/** Checks that the card's payments, the granted credit and the balance explain the invoices, and nothing else does. */
function assertConservation({ work, ledger }: Life): void {
  for (const invoice of work.invoices) {
    assertInvoice(invoice);
    if (invoice.status === 'paid' && !ledger.paid.has(invoice.id)) ledger.paid.set(invoice.id, invoice.amountDue);
  }
  const paid = [...ledger.paid.values()].reduce((sum, amount) => sum + amount, 0);
  const balance = work.account.balance[subscriptionOf(work).price.currency] ?? 0;
  expect(balance >= 0 && Number.isSafeInteger(balance)).toBe(true);
  const settled = sumOfTotals(work, ['paid'], ({ total }) => total);
  // Credit that an unpaid invoice has taken is neither in the balance nor paid back, except for a void invoice.
  const taken = sumOfTotals(work, ['open', 'uncollectible'], ({ total, amountDue }) => total - amountDue);
  expect(paid + ledger.granted - balance).toBe(settled + taken);
  const refunded = work.invoices.reduce((sum, { creditNotes }) => sum + sumOf(creditNotes), 0);
  expect(refunded).toBe(ledger.refunded);
  expect(refunded <= paid).toBe(true);
}

function sumOfTotals(
  { invoices }: Work,
  statuses: readonly SandboxInvoice['status'][],
  measure: (invoice: SandboxInvoice) => number,
): number {
  return invoices.filter(({ status }) => statuses.includes(status)).reduce((sum, invoice) => sum + measure(invoice), 0);
}

/** Performs a step as the sandbox does: a refusal changes nothing. */
function perform(life: Life, step: Step): void {
  const { account, invoices, events } = life.work;
  const before = structuredClone({ account, invoices, events });
  const ledger = { ...life.ledger };
  try {
    step(life);
  } catch (error) {
    if (!(error instanceof PaymentProviderError)) throw error;
    Object.assign(account, before.account);
    invoices.splice(0, invoices.length, ...before.invoices);
    events.splice(0, events.length, ...before.events);
    life.ledger.granted = ledger.granted;
    life.ledger.refunded = ledger.refunded;
  }
}

const purchases: fc.Arbitrary<Purchase> = fc
  .record({
    currency: currencies,
    price: prices,
    trialDays: fc.constantFrom(0, 0, 1, 14, 40),
    card: fc.constantFrom(goodCard, badCard),
    details,
    discount: fc.option(discounts),
  })
  .map(({ currency, price, ...rest }) => ({
    ...rest,
    reference: 'ref',
    price: { planCode: 'plan', planName: 'Plan', currency, ...price },
    taxRules,
  }));

test('no sequence of changes makes a minor unit appear or vanish, in currencies with 0, 2 and 3 decimal places', () => {
  const seen = { refunds: 0, discounts: 0, negative: 0, partlyCredited: 0, mixedTaxes: 0, trials: 0, voids: 0 };
  fc.assert(
    fc.property(purchases, fc.array(steps, { minLength: 1, maxLength: 40 }), (purchase, taken) => {
      const work = openAccount(purchase, start);
      const ledger: Ledger = { paid: new Map(), granted: 0, refunded: 0, referenceCount: 0 };
      const life: Life = { work, ledger, now: start };
      assertConservation(life);
      for (const step of taken) {
        perform(life, step);
        assertConservation(life);
      }
      refundAll(life);
      assertConservation(life);
      const count = (matches: (invoice: SandboxInvoice) => boolean) => work.invoices.filter(matches).length;
      seen.refunds += count(({ creditNotes }) => creditNotes.length > 1);
      seen.discounts += count(({ discount }) => discount > 0);
      seen.negative += count(({ total }) => total < 0);
      seen.partlyCredited += count(({ total, amountPaid }) => amountPaid > 0 && amountPaid < total);
      seen.mixedTaxes += count(({ taxes }) => taxes.length > 1);
      seen.trials += purchase.trialDays > 0 ? 1 : 0;
      seen.voids += count(({ status }) => status === 'void');
    }),
    { numRuns: 600 },
  );
  // The random lives reach what the property is about.
  for (const [name, count] of Object.entries(seen)) expect(count, name).toBeGreaterThan(0);
});
