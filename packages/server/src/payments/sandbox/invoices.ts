import type { Timestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/duration.ts';
import { type NewRefund, PaymentProviderError, type ProviderCreditNote } from '../provider.ts';
import { amountDueOf, amountsOf, type Charge, sumOf, taxOfRefund } from './amounts.ts';
import { type Card, refusalOf } from './cards.ts';
import { newInvoiceId, newSandboxId } from './context.ts';
import { locationOf, recordEvent, type SandboxInvoice, subscriptionOf, type Work } from './state.ts';

// The life of an invoice. Every function changes a unit of work and records the events.

/** Days between the attempts to collect an invoice. The fourth attempt is the last one. */
const retryAfterDays = [3, 5, 7];

const amountsIn = ({ account, taxRules }: Work, charge: Pick<Charge, 'lines' | 'discount'>) =>
  amountsOf(charge, locationOf(account.details), taxRules);

/** Creates a draft of the subscription. A one-time discount ends with the first invoice that it lowers. */
export function draftInvoice(work: Work, charge: Charge, at: Timestamp): SandboxInvoice {
  const subscription = subscriptionOf(work);
  const { discount } = subscription;
  if (charge.isDiscounted && discount?.duration === 'once') subscription.discount = null;
  return addDraft(work, charge, at, {
    id: newInvoiceId(),
    subscriptionId: subscription.id,
    currency: subscription.price.currency,
    collectionMethod: 'charge',
    couponCode: charge.isDiscounted ? (discount?.couponCode ?? null) : null,
    dueInDays: 0,
  });
}

type DraftFields = Pick<
  SandboxInvoice,
  'id' | 'subscriptionId' | 'currency' | 'collectionMethod' | 'couponCode' | 'dueInDays'
>;

/** Creates a draft with the given lines, taxed by the customer's present location. */
export function addDraft(
  work: Work,
  charge: Pick<Charge, 'lines' | 'discount'>,
  at: Timestamp,
  fields: DraftFields,
): SandboxInvoice {
  const amounts = amountsIn(work, charge);
  const invoice: SandboxInvoice = {
    ...fields,
    ...amounts,
    customerId: work.account.customerId,
    status: 'draft',
    amountDue: Math.max(0, amounts.total),
    amountPaid: 0,
    lines: charge.lines,
    creditNotes: [],
    attemptCount: 0,
    scheduledAttempts: 0,
    nextAttemptAt: null,
    dueAt: null,
    createdAt: at,
    finalizedAt: null,
    paidAt: null,
  };
  work.invoices.push(invoice);
  return invoice;
}

/** Finalizes a draft. It is taxed by the customer's present location, and credit lowers its amount due. */
export function finalizeInvoice(work: Work, invoice: SandboxInvoice, at: Timestamp): void {
  Object.assign(invoice, amountsIn(work, invoice));
  const { balance } = work.account;
  const credit = balance[invoice.currency] ?? 0;
  invoice.amountDue = amountDueOf(invoice.total, credit);
  balance[invoice.currency] = credit - (invoice.total - invoice.amountDue);
  invoice.status = 'open';
  invoice.finalizedAt = at;
  invoice.dueAt = addDays(at, invoice.dueInDays);
  recordEvent(work, 'invoice.finalized', at, invoice.id, invoice);
}

/** Replaces the card of an account. Throws `declined` for a card that a bank would not accept for later payments. */
export function attachCard(work: Work, card: Card, at: Timestamp): void {
  const refusal = refusalOf(card, 'checkout');
  if (refusal !== undefined) throw new PaymentProviderError('declined', refusal);
  work.account.card = card;
  recordEvent(work, 'customer.updated', at, work.account.customerId);
}

/**
 * Collects an open invoice. Returns why the payment failed; undefined when the invoice is paid. Nothing to pay needs no
 * card.
 */
export function collect(
  work: Work,
  invoice: SandboxInvoice,
  at: Timestamp,
  occasion: 'checkout' | 'later' = 'later',
): string | undefined {
  if (invoice.amountDue > 0) {
    const { card } = work.account;
    const refusal = card === null ? 'There is no card. Add one first.' : refusalOf(card, occasion);
    invoice.attemptCount += 1;
    if (refusal !== undefined) {
      recordEvent(work, 'invoice.payment_failed', at, invoice.id, invoice);
      return refusal;
    }
  }
  invoice.status = 'paid';
  invoice.amountPaid = invoice.amountDue;
  invoice.nextAttemptAt = null;
  invoice.paidAt = at;
  recordEvent(work, 'invoice.paid', at, invoice.id, invoice);
  restore(work, invoice, at);
  return undefined;
}

/** Schedules the next attempt after a failed scheduled attempt. Returns false after the last attempt. */
export function planRetry(invoice: SandboxInvoice, at: Timestamp): boolean {
  const days = retryAfterDays[invoice.scheduledAttempts];
  invoice.scheduledAttempts += 1;
  invoice.nextAttemptAt = days === undefined ? null : addDays(at, days);
  return days !== undefined;
}

/** Reactivates the subscription once its newest invoice is settled, like Stripe. A single invoice has no effect. */
function restore(work: Work, invoice: SandboxInvoice, at: Timestamp): void {
  const {
    account: { subscription },
    invoices,
  } = work;
  if (subscription === null || invoice.subscriptionId === null) return;
  const hasNewer = invoices.some(
    ({ status, createdAt, subscriptionId }) =>
      status === 'open' && subscriptionId !== null && createdAt > invoice.createdAt,
  );
  if (hasNewer || (subscription.status !== 'past_due' && subscription.status !== 'unpaid')) return;
  subscription.status = 'active';
  recordEvent(work, 'customer.subscription.updated', at, subscription.id);
}

/** Settles an unpaid invoice: `void` cancels the claim and returns its credit, `uncollectible` writes the debt off. */
export function settleUnpaid(
  work: Work,
  invoice: SandboxInvoice,
  status: 'void' | 'uncollectible',
  at: Timestamp,
): void {
  const { balance, subscription } = work.account;
  invoice.status = status;
  invoice.nextAttemptAt = null;
  if (status === 'void') {
    balance[invoice.currency] = (balance[invoice.currency] ?? 0) + invoice.total - invoice.amountDue;
  }
  const unpaid = status === 'void' ? invoice.total : invoice.amountDue;
  lowerPeriodCharge(work, invoice, unpaid - taxOfRefund(invoice, 0, unpaid));
  recordEvent(work, status === 'void' ? 'invoice.voided' : 'invoice.marked_uncollectible', at, invoice.id, invoice);
  // Like Stripe, writing a debt off reactivates a past-due subscription, but not one that is unpaid already.
  if (status === 'void' || subscription?.status === 'past_due') restore(work, invoice, at);
}

/** Records an unpaid or refunded part of an invoice, without its tax, so that no plan change credits it. */
function lowerPeriodCharge({ account: { subscription } }: Work, invoice: SandboxInvoice, net: number): void {
  if (subscription === null || invoice.subscriptionId === null) return;
  if (invoice.createdAt < subscription.currentPeriodStartsAt) return;
  const { amount, startsAt } = subscription.periodCharge;
  subscription.periodCharge = { amount: Math.max(0, amount - net), startsAt };
}

/**
 * Refunds a part of a paid invoice. Returns the credit note, also when it exists already. What was paid with credit is
 * not paid back.
 */
export function refundPart(
  work: Work,
  invoice: SandboxInvoice,
  { reference, amount, reason }: NewRefund,
  at: Timestamp,
): ProviderCreditNote {
  const refuse = (message: string) => new PaymentProviderError('refused', message);
  const known = invoice.creditNotes.find((note) => note.reference === reference);
  if (known?.amount === amount) return known;
  if (known !== undefined) throw refuse('The reference of the refund was used for another amount. Choose another.');
  if (invoice.status !== 'paid') throw refuse('The invoice is not paid. Wait for its payment.');
  const refunded = sumOf(invoice.creditNotes);
  const left = invoice.amountPaid - refunded;
  if (!Number.isSafeInteger(amount) || amount <= 0 || amount > left) {
    throw refuse(`A refund must be an integer from 1 to ${left}, in minor units: what was paid and not paid back yet.`);
  }
  const tax = taxOfRefund(invoice, refunded, amount);
  const note = { id: newSandboxId('cn'), invoiceId: invoice.id, reference, amount, tax, reason, createdAt: at };
  invoice.creditNotes = [...invoice.creditNotes, note];
  lowerPeriodCharge(work, invoice, amount - tax);
  recordEvent(work, 'charge.refunded', at, invoice.id, invoice);
  recordEvent(work, 'credit_note.created', at, note.id, invoice);
  return note;
}
