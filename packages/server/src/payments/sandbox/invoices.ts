import type { Timestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/duration.ts';
import { newId } from '../../lib/ids.ts';
import type { NewRefund, ProviderCreditNote } from '../provider.ts';
import { amountsOf, type Charge, sumOf, taxOfRefund } from './amounts.ts';
import { type Card, problemOfCard } from './cards.ts';
import { assertPaid, newSandboxId, refusal, sandboxIdOf } from './context.ts';
import { recordEvent, type SandboxInvoice, type SandboxSubscription, subscriptionOf, type Work } from './state.ts';

// The life of an invoice. Every function changes a unit of work and records the events.

/** The days from the first attempt to collect an invoice to the others. The fourth attempt is the last one. */
const retryDays = [3, 8, 15];

/** Returns the subscription that an invoice is of; null for a single invoice. */
function ownerOf({ account }: Work, { subscriptionId }: SandboxInvoice): SandboxSubscription | null {
  return subscriptionId === null ? null : account.subscription;
}

/** Creates a draft of the subscription. A one-time discount ends with the first invoice that it lowers. */
export function draftInvoice(work: Work, charge: Charge, at: Timestamp): SandboxInvoice {
  const subscription = subscriptionOf(work);
  const { discount } = subscription;
  if (charge.isDiscounted && discount?.duration === 'once') subscription.discount = null;
  return addDraft(work, charge, at, {
    id: sandboxIdOf('in', newId()),
    subscriptionId: subscription.id,
    currency: subscription.price.currency,
    collectionMethod: 'charge',
    couponCode: charge.isDiscounted ? (discount?.couponCode ?? null) : null,
    dueInDays: 0,
  });
}

type DraftFields = 'id' | 'subscriptionId' | 'currency' | 'collectionMethod' | 'couponCode' | 'dueInDays';

/** Creates a draft with the given lines. */
export function addDraft(
  work: Work,
  charge: Pick<Charge, 'lines' | 'discount'>,
  at: Timestamp,
  fields: Pick<SandboxInvoice, DraftFields>,
): SandboxInvoice {
  const amounts = amountsOf(work, charge);
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
    nextAttemptAt: null,
    dueAt: null,
    createdAt: at,
    finalizedAt: null,
    paidAt: null,
  };
  work.invoices.push(invoice);
  return invoice;
}

/** Finalizes a draft. Credit lowers its amount due; a negative total increases the credit. */
export function finalizeInvoice(work: Work, invoice: SandboxInvoice, at: Timestamp): void {
  Object.assign(invoice, amountsOf(work, invoice));
  const { balance } = work.account;
  const credit = balance[invoice.currency] ?? 0;
  invoice.amountDue = Math.max(0, invoice.total - credit);
  balance[invoice.currency] = credit - (invoice.total - invoice.amountDue);
  invoice.status = 'open';
  invoice.finalizedAt = at;
  invoice.dueAt = addDays(at, invoice.dueInDays);
  recordEvent(work, 'invoice.finalized', at, invoice.id, invoice);
}

/** Replaces the card of an account. Throws `declined` for a card that a bank would not accept for later payments. */
export function attachCard(work: Work, card: Card, at: Timestamp): void {
  assertPaid(problemOfCard(card, 'checkout'));
  work.account.card = card;
  recordEvent(work, 'customer.updated', at, work.account.customerId);
}

function assertOpen({ status }: SandboxInvoice): void {
  if (status !== 'open') throw refusal('The invoice is not open. Reload to see its state.');
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
  assertOpen(invoice);
  if (invoice.amountDue > 0) {
    const { card } = work.account;
    const problem = card === null ? 'There is no card. Add one first.' : problemOfCard(card, occasion);
    invoice.attemptCount += 1;
    if (problem !== undefined) {
      recordEvent(work, 'invoice.payment_failed', at, invoice.id, invoice);
      return problem;
    }
  }
  invoice.status = 'paid';
  invoice.amountPaid = invoice.amountDue;
  invoice.nextAttemptAt = null;
  invoice.paidAt = at;
  recordEvent(work, 'invoice.paid', at, invoice.id, invoice);
  const subscription = ownerOf(work, invoice);
  if (subscription?.currentPeriodStartsAt === invoice.createdAt) {
    subscription.periodCharge = { amount: invoice.subtotal - invoice.discount, startsAt: invoice.createdAt };
  }
  restore(work, invoice, at);
  return undefined;
}

/** Schedules the next attempt after a failed scheduled attempt. Returns false after the last attempt. */
export function planRetry(invoice: SandboxInvoice, at: Timestamp): boolean {
  const attempts = retryDays.map((days) => addDays(invoice.createdAt, days));
  invoice.nextAttemptAt = attempts.find((attemptAt) => attemptAt > at) ?? null;
  return invoice.nextAttemptAt !== null;
}

/** Reactivates the subscription once its newest invoice is settled, like Stripe. A single invoice has no effect. */
function restore(work: Work, invoice: SandboxInvoice, at: Timestamp): void {
  const subscription = ownerOf(work, invoice);
  if (subscription?.status !== 'past_due' && subscription?.status !== 'unpaid') return;
  const isNewer = (other: SandboxInvoice) => other.subscriptionId !== null && other.createdAt > invoice.createdAt;
  if (work.invoices.some((other) => other.status === 'open' && isNewer(other))) return;
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
  assertOpen(invoice);
  invoice.status = status;
  invoice.nextAttemptAt = null;
  if (status === 'void') {
    balance[invoice.currency] = (balance[invoice.currency] ?? 0) + invoice.total - invoice.amountDue;
  }
  recordEvent(work, status === 'void' ? 'invoice.voided' : 'invoice.marked_uncollectible', at, invoice.id, invoice);
  // Like Stripe, writing a debt off reactivates a past-due subscription, but not one that is unpaid already.
  if (status === 'void' || subscription?.status === 'past_due') restore(work, invoice, at);
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
  const known = invoice.creditNotes.find((note) => note.reference === reference);
  if (known?.amount === amount) return known;
  if (known !== undefined) throw refusal('The reference of the refund was used for another amount. Choose another.');
  if (invoice.status !== 'paid') throw refusal('The invoice is not paid. Wait for its payment.');
  const refunded = sumOf(invoice.creditNotes);
  const left = invoice.amountPaid - refunded;
  if (!Number.isSafeInteger(amount) || amount <= 0 || amount > left) {
    throw refusal(
      `A refund must be an integer from 1 to ${left}, in minor units: what was paid and not paid back yet.`,
    );
  }
  const tax = taxOfRefund(invoice, refunded, amount);
  const note = { id: newSandboxId('cn'), invoiceId: invoice.id, reference, amount, tax, reason, createdAt: at };
  invoice.creditNotes = [...invoice.creditNotes, note];
  const subscription = ownerOf(work, invoice);
  if (subscription !== null && invoice.createdAt >= subscription.currentPeriodStartsAt) {
    // A plan change must not credit the refunded amount again.
    const { amount: paid, startsAt } = subscription.periodCharge;
    subscription.periodCharge = { amount: Math.max(0, paid - (amount - tax)), startsAt };
  }
  recordEvent(work, 'charge.refunded', at, invoice.id, invoice);
  recordEvent(work, 'credit_note.created', at, note.id, invoice);
  return note;
}
