import type { Timestamp } from '../../lib/clock.ts';
import type { PlanPrice } from '../provider.ts';
import { PaymentProviderError } from '../provider.ts';
import type { Card } from './cards.ts';
import { newSandboxId } from './ids.ts';
import { collect, draftInvoice, finalizeInvoice, planRetry, refundCredit } from './invoices.ts';
import { periodEnd } from './periods.ts';
import { applyPrice, lineOfPeriod, linesOfChange } from './proration.ts';
import { type Account, recordEvent, type SandboxInvoice, type SandboxSubscription, type Work } from './state.ts';

/** A customer whose first payment succeeded. Throws `declined` when it does not. */
export function openAccount(reference: string, price: PlanPrice, card: Card, at: Timestamp): Work {
  const endsAt = periodEnd(at, price.interval, at);
  const subscription: SandboxSubscription = {
    id: newSandboxId('sub'),
    reference,
    createdAt: at,
    status: 'active',
    price,
    anchorAt: at,
    currentPeriodStartsAt: at,
    currentPeriodEndsAt: endsAt,
    trialEndsAt: null,
    cancelAtPeriodEnd: false,
    canceledAt: null,
    pendingPrice: null,
  };
  const account: Account = { customerId: newSandboxId('cus'), card, balance: {}, subscription };
  const work: Work = { account, invoices: [], events: [] };
  recordEvent(work, 'customer.subscription.created', subscription.id, at);
  const invoice = draftInvoice(work, [lineOfPeriod(price, at, endsAt)], at);
  finalizeInvoice(work, invoice, at);
  const refusal = collect(work, invoice, at, 'checkout');
  if (refusal !== undefined) throw new PaymentProviderError('declined', refusal);
  return work;
}

function isOver({ status }: SandboxSubscription): boolean {
  return status === 'canceled';
}

/** When something happens to an account by itself next; null when nothing will. */
export function nextDueAt({ account: { subscription }, invoices }: Work): Timestamp | null {
  if (isOver(subscription)) return null;
  const retries = invoices.flatMap(({ nextAttemptAt }) => (nextAttemptAt === null ? [] : [nextAttemptAt]));
  return [...retries, subscription.currentPeriodEndsAt].toSorted()[0] ?? null;
}

/** Does the one thing that is due first, as of the moment it was due. Answers whether anything was due by `now`. */
export function passTime(work: Work, now: Timestamp): boolean {
  const at = nextDueAt(work);
  if (at === null || at > now) return false;
  const invoice = work.invoices.find(({ nextAttemptAt }) => nextAttemptAt === at);
  if (invoice === undefined) endPeriod(work, at);
  else retryBySchedule(work, invoice, at);
  return true;
}

function endPeriod(work: Work, at: Timestamp): void {
  const { subscription } = work.account;
  if (subscription.cancelAtPeriodEnd) {
    endSubscription(work, at);
    return;
  }
  const { pendingPrice } = subscription;
  if (pendingPrice !== null) {
    if (pendingPrice.interval !== subscription.price.interval) subscription.anchorAt = at;
    subscription.price = pendingPrice;
    subscription.pendingPrice = null;
  }
  const { price, anchorAt } = subscription;
  subscription.currentPeriodStartsAt = at;
  subscription.currentPeriodEndsAt = periodEnd(anchorAt, price.interval, at);
  const invoice = draftInvoice(work, [lineOfPeriod(price, at, subscription.currentPeriodEndsAt)], at);
  // Whoever does not pay is charged no more until the debt is settled; the draft stays for the operator to see.
  if (subscription.status !== 'unpaid') {
    finalizeInvoice(work, invoice, at);
    const isPaid = collect(work, invoice, at, 'later') === undefined;
    if (!isPaid) planRetry(invoice, at);
    subscription.status = isPaid ? 'active' : 'past_due';
  }
  recordEvent(work, 'customer.subscription.updated', subscription.id, at);
}

function retryBySchedule(work: Work, invoice: SandboxInvoice, at: Timestamp): void {
  if (collect(work, invoice, at, 'later') === undefined) {
    restore(work, invoice, at);
    return;
  }
  if (planRetry(invoice, at)) return;
  const { subscription } = work.account;
  subscription.status = 'unpaid';
  recordEvent(work, 'customer.subscription.updated', subscription.id, at);
}

/** The subscription is in good standing again once its newest invoice is settled, as at Stripe. */
function restore(work: Work, invoice: SandboxInvoice, at: Timestamp): void {
  const { subscription } = work.account;
  const hasNewer = work.invoices.some(({ status, createdAt }) => status === 'open' && createdAt > invoice.createdAt);
  if (hasNewer || (subscription.status !== 'past_due' && subscription.status !== 'unpaid')) return;
  subscription.status = 'active';
  recordEvent(work, 'customer.subscription.updated', subscription.id, at);
}

function endSubscription(work: Work, at: Timestamp): void {
  const { subscription } = work.account;
  subscription.status = 'canceled';
  subscription.canceledAt ??= at;
  subscription.pendingPrice = null;
  for (const invoice of work.invoices) invoice.nextAttemptAt = null;
  recordEvent(work, 'customer.subscription.deleted', subscription.id, at);
}

function assertNotOver(subscription: SandboxSubscription): void {
  if (isOver(subscription)) throw new PaymentProviderError('refused', 'The subscription has ended: begin a new one.');
}

/** Ends a subscription at once; of one that is over nothing changes. */
export function cancelAtOnce(work: Work, at: Timestamp): void {
  if (!isOver(work.account.subscription)) endSubscription(work, at);
}

/** Lets a subscription end with its period, or go on after all. A change of plan that waits is dropped by the former. */
export function setCancelAtPeriodEnd(work: Work, cancels: boolean, at: Timestamp): void {
  const { subscription } = work.account;
  assertNotOver(subscription);
  if (subscription.cancelAtPeriodEnd === cancels) return;
  subscription.cancelAtPeriodEnd = cancels;
  subscription.canceledAt = cancels ? at : null;
  if (cancels) subscription.pendingPrice = null;
  recordEvent(work, 'customer.subscription.updated', subscription.id, at);
}

function assertChangeable(subscription: SandboxSubscription, price: PlanPrice): void {
  assertNotOver(subscription);
  if (subscription.price.currency !== price.currency) {
    throw new PaymentProviderError('refused', 'A subscription keeps its currency: begin a new one for another.');
  }
  if (subscription.status !== 'active') {
    throw new PaymentProviderError('refused', 'A payment is missing: pay the open invoice before changing the plan.');
  }
}

/** Changes the plan and collects the difference at once. Throws `declined` when that fails; write nothing then. */
export function changePlanNow(work: Work, price: PlanPrice, at: Timestamp): void {
  const { subscription } = work.account;
  assertChangeable(subscription, price);
  const invoice = draftInvoice(work, linesOfChange(subscription, price, at), at);
  finalizeInvoice(work, invoice, at);
  const refusal = collect(work, invoice, at, 'later');
  if (refusal !== undefined) throw new PaymentProviderError('declined', refusal);
  applyPrice(subscription, price, at);
  recordEvent(work, 'customer.subscription.updated', subscription.id, at);
}

/** Changes the plan when the period ends. A change that waited already is replaced. */
export function changePlanLater(work: Work, price: PlanPrice, at: Timestamp): void {
  const { subscription } = work.account;
  assertChangeable(subscription, price);
  if (subscription.cancelAtPeriodEnd) {
    throw new PaymentProviderError('refused', 'The subscription ends with its period: resume it before changing it.');
  }
  subscription.pendingPrice = price;
  recordEvent(work, 'customer.subscription.updated', subscription.id, at);
}

/** Drops a change of plan that waits. */
export function dropPendingChange(work: Work, at: Timestamp): void {
  const { subscription } = work.account;
  if (subscription.pendingPrice === null) return;
  subscription.pendingPrice = null;
  recordEvent(work, 'customer.subscription.updated', subscription.id, at);
}

/** Tries to collect an open invoice at once. Answers why it could not be: that it was tried is kept. */
export function payNow(work: Work, invoice: SandboxInvoice, at: Timestamp): string | undefined {
  const refusal = collect(work, invoice, at, 'later');
  if (refusal === undefined) restore(work, invoice, at);
  return refusal;
}

/** Gives an invoice up: `void` as if it had never been asked for, `uncollectible` as a debt that nobody will pay. */
export function settleUnpaid(
  work: Work,
  invoice: SandboxInvoice,
  status: 'void' | 'uncollectible',
  at: Timestamp,
): void {
  invoice.status = status;
  invoice.nextAttemptAt = null;
  if (status === 'void') refundCredit(work, invoice);
  recordEvent(work, status === 'void' ? 'invoice.voided' : 'invoice.marked_uncollectible', invoice.id, at);
  // A debt that is written off frees nobody who was cut off for it; before that it does, as at Stripe.
  if (status === 'void' || work.account.subscription.status === 'past_due') restore(work, invoice, at);
}
