import type { Timestamp } from '../../lib/clock.ts';
import { collect, draftInvoice, finalizeInvoice, planRetry } from './invoices.ts';
import { chargeOfPeriod, nextPeriod } from './proration.ts';
import { remindOfTrialEnd } from './purchase.ts';
import { recordEvent, type SandboxInvoice, type SandboxSubscription, subscriptionOf, type Work } from './state.ts';
import { endSubscription, isOver, restore, setPeriodCharge } from './subscription.ts';

/** An automatic change of an account, and when it is due. */
interface Due {
  readonly at: Timestamp | null | undefined;
  perform(work: Work, at: Timestamp): void;
}

/** Returns what will be due, in the order in which things of the same time are done. */
function listDue({ account: { subscription }, invoices }: Work): Due[] {
  if (subscription === null || isOver(subscription)) return [];
  const retries = invoices.map(
    (invoice): Due => ({ at: invoice.nextAttemptAt, perform: (work, at) => retryBySchedule(work, invoice, at) }),
  );
  return [
    { at: subscription.trialReminderAt, perform: remindOfTrialEnd },
    { at: subscription.discount?.endsAt, perform: endDiscount },
    ...retries,
    { at: subscription.currentPeriodEndsAt, perform: endPeriod },
  ];
}

function firstDue(work: Work): (Due & { readonly at: Timestamp }) | undefined {
  let first: (Due & { readonly at: Timestamp }) | undefined;
  for (const { at, perform } of listDue(work)) {
    if (at != null && (first === undefined || at < first.at)) first = { at, perform };
  }
  return first;
}

/** Returns when the next automatic change of an account is due; null when nothing will be due. */
export function nextDueAt(work: Work): Timestamp | null {
  return firstDue(work)?.at ?? null;
}

/** Performs the earliest automatic change, as of the time it was due. Returns false when nothing is due by `now`. */
export function passTime(work: Work, now: Timestamp): boolean {
  const due = firstDue(work);
  if (due === undefined || due.at > now) return false;
  due.perform(work, due.at);
  return true;
}

function endDiscount(work: Work, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  subscription.discount = null;
  recordEvent(work, 'customer.subscription.updated', subscription.id, at);
}

/** Renews or ends the subscription. A trial without a card ends it. */
function endPeriod(work: Work, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  const { status, cancelAtPeriodEnd } = subscription;
  if (cancelAtPeriodEnd || (status === 'trialing' && work.account.card === null)) {
    endSubscription(work, at);
    return;
  }
  startNextPeriod(subscription);
  const { price, currentPeriodEndsAt } = subscription;
  const invoice = draftInvoice(work, chargeOfPeriod(subscription, price, at, currentPeriodEndsAt), at);
  // An unpaid subscription is not charged again until its debt is settled. The draft stays visible to the operator.
  if (status === 'unpaid') {
    setPeriodCharge(subscription, { subtotal: 0, discount: 0, taxes: [] });
  } else {
    setPeriodCharge(subscription, invoice);
    finalizeInvoice(work, invoice, at);
    const isPaid = collect(work, invoice, at, 'later') === undefined;
    if (!isPaid) planRetry(invoice, at);
    subscription.status = isPaid ? 'active' : 'past_due';
  }
  recordEvent(work, 'customer.subscription.updated', subscription.id, at);
}

function startNextPeriod(subscription: SandboxSubscription): void {
  const { price, anchorAt, startsAt, endsAt } = nextPeriod(subscription);
  subscription.price = price;
  subscription.pendingPrice = null;
  subscription.anchorAt = anchorAt;
  subscription.periodInterval = price.interval;
  subscription.currentPeriodStartsAt = startsAt;
  subscription.currentPeriodEndsAt = endsAt;
  subscription.trialReminderAt = null;
}

function retryBySchedule(work: Work, invoice: SandboxInvoice, at: Timestamp): void {
  if (collect(work, invoice, at, 'later') === undefined) {
    restore(work, invoice, at);
    return;
  }
  if (planRetry(invoice, at)) return;
  const subscription = subscriptionOf(work);
  subscription.status = 'unpaid';
  recordEvent(work, 'customer.subscription.updated', subscription.id, at);
}
