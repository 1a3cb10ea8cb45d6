import type { Timestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/duration.ts';
import type { ChangeTime, NewCheckout, PlanPrice } from '../provider.ts';
import { chargeOfChange, chargeOfPeriod, periodEnd } from './amounts.ts';
import { problemOfCard } from './cards.ts';
import { assertPaid, newSandboxId, refusal } from './context.ts';
import { collect, draftInvoice, finalizeInvoice, planRetry } from './invoices.ts';
import {
  type Account,
  recordEvent,
  type SandboxInvoice,
  type SandboxSubscription,
  subscriptionOf,
  type Work,
} from './state.ts';

// The life of a subscription: its purchase, its trial, plan changes, and what its clock brings. Every function changes a
// unit of work and records the events. It may throw `declined` or `refused`; the caller must write nothing then.

/** The purchase of a subscription by a new customer. The card is null in a trial, or when nothing is due. */
export type Purchase = Pick<NewCheckout, 'reference' | 'price' | 'trialDays'> &
  Pick<Account, 'card' | 'details'> &
  Pick<SandboxSubscription, 'discount'> &
  Pick<Work, 'taxRules'>;

/**
 * Returns a new account: in its trial, or with a paid first invoice. Throws `declined` when the payment fails, and for
 * a card that a bank would not accept after the trial.
 */
export function openAccount(purchase: Purchase, at: Timestamp): Work {
  const { reference, price, card, details, trialDays, discount, taxRules } = purchase;
  const subscription: SandboxSubscription = {
    id: newSandboxId('sub'),
    reference,
    createdAt: at,
    status: 'active',
    price,
    anchorAt: at,
    currentPeriodStartsAt: at,
    currentPeriodEndsAt: periodEnd(at, price.interval, at),
    periodCharge: { amount: 0, startsAt: at },
    trialEndsAt: null,
    trialReminderAt: null,
    discount,
    cancelAtPeriodEnd: false,
    canceledAt: null,
    pendingPrice: null,
    ...(trialDays > 0 && trialUntil(addDays(at, trialDays), at)),
  };
  const account: Account = { customerId: newSandboxId('cus'), card, balance: {}, details, subscription };
  const work: Work = { account, invoices: [], events: [], taxRules };
  recordEvent(work, 'customer.subscription.created', at, subscription.id);
  if (trialDays === 0) assertPaid(chargePeriod(work, at, 'checkout').problem);
  else assertPaid(card && problemOfCard(card, 'checkout'));
  return work;
}

/** Charges the whole current period. */
function chargePeriod(work: Work, at: Timestamp, occasion: 'checkout' | 'later') {
  const invoice = draftInvoice(work, chargeOfPeriod(subscriptionOf(work)), at);
  finalizeInvoice(work, invoice, at);
  return { invoice, problem: collect(work, invoice, at, occasion) };
}

const reminderDays = 3;
/** Stripe's limit. */
const trialMaxDays = 730;

/**
 * Returns the fields of a subscription in its trial. The trial is its current period, and the paid periods are counted
 * from its end. The reminder of a trial that ends sooner than in 3 days is due at once.
 */
function trialUntil(endsAt: Timestamp, at: Timestamp) {
  const reminderAt = addDays(endsAt, -reminderDays);
  return {
    status: 'trialing',
    trialEndsAt: endsAt,
    trialReminderAt: reminderAt < at ? at : reminderAt,
    anchorAt: endsAt,
    currentPeriodEndsAt: endsAt,
  } as const;
}

/** Moves the end of a running trial, to at most 730 days ahead. Has no effect when it is the same. */
export function extendTrial(work: Work, endsAt: Timestamp, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  if (subscription.status !== 'trialing') {
    throw refusal('The subscription is not in a trial, so its trial cannot be extended. Give a coupon instead.');
  }
  if (endsAt === subscription.trialEndsAt) return;
  if (endsAt <= at || endsAt > addDays(at, trialMaxDays)) {
    throw refusal(`A trial must end in the future, at most ${trialMaxDays} days from now.`);
  }
  Object.assign(subscription, trialUntil(endsAt, at));
  recordUpdate(work, at);
}

function recordUpdate(work: Work, at: Timestamp): void {
  recordEvent(work, 'customer.subscription.updated', at, subscriptionOf(work).id);
}

/** Throws `refused` for a subscription that has ended. */
export function assertNotOver({ status }: SandboxSubscription): void {
  if (status === 'canceled') throw refusal('The subscription has ended. Start a new one.');
}

/** Cancels a subscription at once. Its open invoices stay, but they are not collected any more. */
export function cancelAtOnce(work: Work, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  if (subscription.status === 'canceled') return;
  subscription.status = 'canceled';
  subscription.canceledAt ??= at;
  subscription.pendingPrice = null;
  for (const invoice of work.invoices) invoice.nextAttemptAt = null;
  recordEvent(work, 'customer.subscription.deleted', at, subscription.id);
}

/** Requests or withdraws the cancellation at the end of the period. A request also drops a pending plan change. */
export function setCancelAtPeriodEnd(work: Work, cancels: boolean, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  assertNotOver(subscription);
  if (subscription.cancelAtPeriodEnd === cancels) return;
  subscription.cancelAtPeriodEnd = cancels;
  subscription.canceledAt = cancels ? at : null;
  if (cancels) subscription.pendingPrice = null;
  recordUpdate(work, at);
}

/** Throws `refused` for a subscription that has ended, and for a price in another currency. */
export function assertAccepts(subscription: SandboxSubscription, { currency }: PlanPrice): void {
  assertNotOver(subscription);
  if (subscription.price.currency !== currency) {
    throw refusal('The currency of a subscription cannot change. Start a new subscription for another currency.');
  }
}

/**
 * Changes the plan: `now` collects the difference at once, `now_unprorated` keeps the period, and `period_end` replaces a
 * pending change. A trial costs nothing, so there is no difference.
 */
export function changePlan(work: Work, price: PlanPrice, when: ChangeTime, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  assertAccepts(subscription, price);
  if (subscription.status !== 'active' && subscription.status !== 'trialing') {
    throw refusal('A payment is overdue. Pay the open invoice before you change the plan.');
  }
  if (when === 'period_end') {
    if (subscription.cancelAtPeriodEnd) {
      throw refusal('The subscription ends with its period. Resume it before you change the plan.');
    }
    subscription.pendingPrice = price;
  } else {
    if (when === 'now') chargeDifference(work, price, at);
    subscription.price = price;
    subscription.pendingPrice = null;
  }
  recordUpdate(work, at);
}

/** Collects the cost of a plan change, which is none in a trial. Throws `declined`. */
export function chargeDifference(work: Work, price: PlanPrice, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  if (subscription.status === 'trialing') return;
  const charge = chargeOfChange(subscription, price, at);
  const invoice = draftInvoice(work, charge, at);
  finalizeInvoice(work, invoice, at);
  assertPaid(collect(work, invoice, at));
  subscription.periodCharge = { amount: charge.net, startsAt: at };
  // Another interval counts its periods from now.
  if (charge.startsAt !== subscription.currentPeriodStartsAt) subscription.anchorAt = at;
  subscription.currentPeriodStartsAt = charge.startsAt;
  subscription.currentPeriodEndsAt = charge.endsAt;
}

/** Drops the pending plan change, if any. */
export function dropPendingChange(work: Work, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  if (subscription.pendingPrice === null) return;
  subscription.pendingPrice = null;
  recordUpdate(work, at);
}

/** An automatic change of an account, and when it is due. */
type Due<At = Timestamp> = readonly [at: At, perform: (work: Work, at: Timestamp) => void];

/** Returns the next automatic change. Things of the same time are done in the order of this list. */
function firstDue({ account: { subscription }, invoices }: Work): Due | undefined {
  if (subscription === null || subscription.status === 'canceled') return undefined;
  const all: Due<Timestamp | null>[] = [
    [subscription.trialReminderAt, remindOfTrialEnd],
    [subscription.discount?.endsAt ?? null, endDiscount],
    ...invoices.map((invoice): Due<Timestamp | null> => {
      return [invoice.nextAttemptAt, (work, at) => retryBySchedule(work, invoice, at)];
    }),
    [subscription.currentPeriodEndsAt, endPeriod],
  ];
  const dues = all.filter((due): due is Due => due[0] !== null);
  // The sort is stable.
  return dues.toSorted(([one], [other]) => (one < other ? -1 : Number(one > other)))[0];
}

/** Returns when the next automatic change of an account is due; null when nothing will be due. */
export function nextDueAt(work: Work): Timestamp | null {
  return firstDue(work)?.[0] ?? null;
}

/** Performs the automatic changes that are due by `until`, each as of the time it was due. */
export function passTime(work: Work, until: Timestamp): void {
  for (let due = firstDue(work); due !== undefined && due[0] <= until; due = firstDue(work)) {
    const [at, perform] = due;
    perform(work, at);
  }
}

function remindOfTrialEnd(work: Work, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  subscription.trialReminderAt = null;
  recordEvent(work, 'customer.subscription.trial_will_end', at, subscription.id);
}

function endDiscount(work: Work, at: Timestamp): void {
  subscriptionOf(work).discount = null;
  recordUpdate(work, at);
}

/** Renews or ends the subscription. A trial without a card ends it. */
function endPeriod(work: Work, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  const { status, cancelAtPeriodEnd } = subscription;
  if (cancelAtPeriodEnd || (status === 'trialing' && work.account.card === null)) {
    cancelAtOnce(work, at);
    return;
  }
  subscription.price = subscription.pendingPrice ?? subscription.price;
  subscription.pendingPrice = null;
  subscription.currentPeriodStartsAt = at;
  subscription.currentPeriodEndsAt = periodEnd(subscription.anchorAt, subscription.price.interval, at);
  subscription.periodCharge = { amount: 0, startsAt: at };
  subscription.trialReminderAt = null;
  if (status === 'unpaid') {
    // An unpaid subscription is not charged again until its debt is settled. The draft stays visible to the operator.
    draftInvoice(work, chargeOfPeriod(subscription), at);
  } else {
    const { invoice, problem } = chargePeriod(work, at, 'later');
    if (problem !== undefined) planRetry(invoice, at);
    subscription.status = problem === undefined ? 'active' : 'past_due';
  }
  recordUpdate(work, at);
}

function retryBySchedule(work: Work, invoice: SandboxInvoice, at: Timestamp): void {
  if (collect(work, invoice, at) === undefined || planRetry(invoice, at)) return;
  subscriptionOf(work).status = 'unpaid';
  recordUpdate(work, at);
}
