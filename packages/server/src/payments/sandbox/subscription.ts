import type { Timestamp } from '../../lib/clock.ts';
import type { PlanPrice } from '../provider.ts';
import { PaymentProviderError } from '../provider.ts';
import type { Card } from './cards.ts';
import { newSandboxId } from './ids.ts';
import { collect, draftInvoice, finalizeInvoice, planRetry, refundCredit } from './invoices.ts';
import { periodEnd } from './periods.ts';
import { applyPrice, lineOfPeriod, linesOfChange } from './proration.ts';
import { type Account, recordEvent, type SandboxInvoice, type SandboxSubscription, type Work } from './state.ts';

/** Returns a new account with a paid first invoice. Throws `declined` when the payment fails. */
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

/** Returns when the next retry or period end of an account is due; null when nothing will be due. */
export function nextDueAt({ account: { subscription }, invoices }: Work): Timestamp | null {
  if (isOver(subscription)) return null;
  const retries = invoices.flatMap(({ nextAttemptAt }) => (nextAttemptAt === null ? [] : [nextAttemptAt]));
  return [...retries, subscription.currentPeriodEndsAt].toSorted()[0] ?? null;
}

/**
 * Performs the earliest due retry or period end, as of the time it was due. Returns false when nothing is due by `now`.
 */
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
  // An unpaid subscription is not charged again until its debt is settled. The draft stays visible to the operator.
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

/** Reactivates the subscription once its newest invoice is settled, like Stripe. */
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
  if (isOver(subscription)) throw new PaymentProviderError('refused', 'The subscription has ended. Start a new one.');
}

/** Cancels a subscription at once. Has no effect on a subscription that has ended. */
export function cancelAtOnce(work: Work, at: Timestamp): void {
  if (!isOver(work.account.subscription)) endSubscription(work, at);
}

/** Requests or withdraws the cancellation at the end of the period. A request also drops a pending plan change. */
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
    throw new PaymentProviderError(
      'refused',
      'The currency of a subscription cannot change. Start a new subscription for another currency.',
    );
  }
  if (subscription.status !== 'active') {
    throw new PaymentProviderError('refused', 'A payment is overdue. Pay the open invoice before you change the plan.');
  }
}

/**
 * Changes the plan and collects the difference at once. Throws `declined` when the payment fails; the caller must write
 * nothing then.
 */
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

/** Schedules a plan change for the end of the period. It replaces a pending change. */
export function changePlanLater(work: Work, price: PlanPrice, at: Timestamp): void {
  const { subscription } = work.account;
  assertChangeable(subscription, price);
  if (subscription.cancelAtPeriodEnd) {
    throw new PaymentProviderError(
      'refused',
      'The subscription ends with its period. Resume it before you change the plan.',
    );
  }
  subscription.pendingPrice = price;
  recordEvent(work, 'customer.subscription.updated', subscription.id, at);
}

/** Drops a pending plan change. Has no effect when there is none. */
export function dropPendingChange(work: Work, at: Timestamp): void {
  const { subscription } = work.account;
  if (subscription.pendingPrice === null) return;
  subscription.pendingPrice = null;
  recordEvent(work, 'customer.subscription.updated', subscription.id, at);
}

/** Collects an open invoice at once. Returns why the payment failed; the caller must write the attempt in any case. */
export function payNow(work: Work, invoice: SandboxInvoice, at: Timestamp): string | undefined {
  const refusal = collect(work, invoice, at, 'later');
  if (refusal === undefined) restore(work, invoice, at);
  return refusal;
}

/** Settles an unpaid invoice: `void` cancels the claim, `uncollectible` writes the debt off. */
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
  // Like Stripe, writing a debt off reactivates a past-due subscription, but not one that is unpaid already.
  if (status === 'void' || work.account.subscription.status === 'past_due') restore(work, invoice, at);
}
