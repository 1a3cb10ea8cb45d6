import type { Timestamp } from '../../lib/clock.ts';
import { type ChangeTime, PaymentProviderError, type PlanPrice } from '../provider.ts';
import { netOf, ratesOf } from './amounts.ts';
import { collect, draftInvoice, finalizeInvoice, refundCredit } from './invoices.ts';
import { applyPrice, chargeOfChange } from './proration.ts';
import {
  recordEvent,
  recordInvoiceEvent,
  type SandboxInvoice,
  type SandboxSubscription,
  subscriptionOf,
  type Work,
} from './state.ts';

/** Returns whether a subscription has ended. */
export function isOver({ status }: SandboxSubscription): boolean {
  return status === 'canceled';
}

/** Notes what an invoice charges for the whole current period. */
export function setPeriodCharge(
  subscription: SandboxSubscription,
  { subtotal, discount, taxes }: Pick<SandboxInvoice, 'subtotal' | 'discount' | 'taxes'>,
): void {
  const amount = subtotal - discount;
  subscription.periodCharge = { amount, startsAt: subscription.currentPeriodStartsAt, rates: ratesOf(taxes) };
  subscription.periodNet = amount;
}

/** Records an unpaid part of an invoice, without its tax, so that no plan change credits it. */
export function lowerPeriodNet({ account: { subscription } }: Work, invoice: SandboxInvoice, net: number): void {
  if (subscription === null || invoice.subscriptionId === null) return;
  if (invoice.createdAt >= subscription.currentPeriodStartsAt) subscription.periodNet -= net;
}

/** Reactivates the subscription once its newest invoice is settled, like Stripe. A single invoice has no effect. */
export function restore({ account, invoices, events }: Work, invoice: SandboxInvoice, at: Timestamp): void {
  const { subscription } = account;
  if (subscription === null || invoice.subscriptionId === null) return;
  const hasNewer = invoices.some(
    ({ status, createdAt, subscriptionId }) =>
      status === 'open' && subscriptionId !== null && createdAt > invoice.createdAt,
  );
  if (hasNewer || (subscription.status !== 'past_due' && subscription.status !== 'unpaid')) return;
  subscription.status = 'active';
  recordEvent({ account, events }, 'customer.subscription.updated', subscription.id, at);
}

/** Ends a subscription. Its open invoices stay, but they are not collected any more. */
export function endSubscription(work: Work, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  subscription.status = 'canceled';
  subscription.canceledAt ??= at;
  subscription.pendingPrice = null;
  for (const invoice of work.invoices) invoice.nextAttemptAt = null;
  recordEvent(work, 'customer.subscription.deleted', subscription.id, at);
}

/** Throws `refused` for a subscription that has ended. */
export function assertNotOver(subscription: SandboxSubscription): void {
  if (isOver(subscription)) throw new PaymentProviderError('refused', 'The subscription has ended. Start a new one.');
}

/** Cancels a subscription at once. Has no effect on a subscription that has ended. */
export function cancelAtOnce(work: Work, at: Timestamp): void {
  if (!isOver(subscriptionOf(work))) endSubscription(work, at);
}

/** Requests or withdraws the cancellation at the end of the period. A request also drops a pending plan change. */
export function setCancelAtPeriodEnd(work: Work, cancels: boolean, at: Timestamp): void {
  const subscription = subscriptionOf(work);
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
  if (subscription.status !== 'active' && subscription.status !== 'trialing') {
    throw new PaymentProviderError('refused', 'A payment is overdue. Pay the open invoice before you change the plan.');
  }
}

/** A plan change. It throws `declined` when the payment fails; the caller must write nothing then. */
export const planChanges: Readonly<Record<ChangeTime, (work: Work, price: PlanPrice, at: Timestamp) => void>> = {
  now: changePlanNow,
  now_unprorated: changePlanUnprorated,
  period_end: changePlanLater,
};

/** Changes the plan and collects the difference at once. A trial costs nothing, so there is no difference. */
function changePlanNow(work: Work, price: PlanPrice, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  assertChangeable(subscription, price);
  if (subscription.status === 'trialing') {
    changePlanUnprorated(work, price, at);
    return;
  }
  const charge = chargeOfChange(subscription, price, at);
  const invoice = draftInvoice(work, charge, at);
  finalizeInvoice(work, invoice, at);
  const refusal = collect(work, invoice, at, 'later');
  if (refusal !== undefined) throw new PaymentProviderError('declined', refusal);
  applyPrice(subscription, price, { ...charge, taxes: invoice.taxes }, at);
  recordEvent(work, 'customer.subscription.updated', subscription.id, at);
}

/** Changes the plan without an invoice. The period stays; the next one has the new price and interval. */
function changePlanUnprorated(work: Work, price: PlanPrice, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  assertChangeable(subscription, price);
  subscription.price = price;
  subscription.pendingPrice = null;
  recordEvent(work, 'customer.subscription.updated', subscription.id, at);
}

/** Schedules a plan change for the end of the period. It replaces a pending change. */
function changePlanLater(work: Work, price: PlanPrice, at: Timestamp): void {
  const subscription = subscriptionOf(work);
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

/** Drops the pending plan change, if any. */
export function dropPendingChange(work: Work, at: Timestamp): void {
  const subscription = subscriptionOf(work);
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
  lowerPeriodNet(work, invoice, netOf(invoice, status === 'void' ? invoice.total : invoice.amountDue));
  recordInvoiceEvent(work, status === 'void' ? 'invoice.voided' : 'invoice.marked_uncollectible', invoice, at);
  // Like Stripe, writing a debt off reactivates a past-due subscription, but not one that is unpaid already.
  if (status === 'void' || work.account.subscription?.status === 'past_due') restore(work, invoice, at);
}
