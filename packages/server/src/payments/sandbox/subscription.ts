import type { Timestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/duration.ts';
import {
  type ChangeTime,
  type CustomerDetails,
  type Discount,
  PaymentProviderError,
  type PlanPrice,
} from '../provider.ts';
import type { TaxRules } from '../tax/taxes.ts';
import { chargeOfChange, chargeOfPeriod, nextPeriod, periodEnd } from './amounts.ts';
import { type Card, refusalOf } from './cards.ts';
import { newSandboxId } from './context.ts';
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

const refuse = (message: string) => new PaymentProviderError('refused', message);

/** The purchase of a subscription by a new customer. */
export interface Purchase {
  readonly reference: string;
  readonly price: PlanPrice;
  /** 0 for no trial. */
  readonly trialDays: number;
  /** Null in a trial, or when nothing is due. */
  readonly card: Card | null;
  readonly details: CustomerDetails | null;
  readonly discount: Discount | null;
  readonly taxRules: TaxRules;
}

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
    periodInterval: price.interval,
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
  const refusal =
    trialDays === 0
      ? chargePeriod(work, at, 'checkout').refusal
      : card === null
        ? undefined
        : refusalOf(card, 'checkout');
  if (refusal !== undefined) throw new PaymentProviderError('declined', refusal);
  return work;
}

/** Charges the whole current period. */
function chargePeriod(work: Work, at: Timestamp, occasion: 'checkout' | 'later') {
  const subscription = subscriptionOf(work);
  const { price, currentPeriodEndsAt } = subscription;
  const invoice = draftInvoice(work, chargeOfPeriod(subscription, price, at, currentPeriodEndsAt), at);
  setPeriodCharge(subscription, invoice);
  finalizeInvoice(work, invoice, at);
  return { invoice, refusal: collect(work, invoice, at, occasion) };
}

/** Notes what an invoice charges for the whole current period. */
export function setPeriodCharge(
  subscription: SandboxSubscription,
  { subtotal, discount }: Pick<SandboxInvoice, 'subtotal' | 'discount'>,
): void {
  subscription.periodCharge = { amount: subtotal - discount, startsAt: subscription.currentPeriodStartsAt };
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
    throw refuse('The subscription is not in a trial, so its trial cannot be extended. Give a coupon instead.');
  }
  if (endsAt === subscription.trialEndsAt) return;
  if (endsAt <= at || endsAt > addDays(at, trialMaxDays)) {
    throw refuse(`A trial must end in the future, at most ${trialMaxDays} days from now.`);
  }
  Object.assign(subscription, trialUntil(endsAt, at));
  recordUpdate(work, at);
}

function recordUpdate(work: Work, at: Timestamp): void {
  recordEvent(work, 'customer.subscription.updated', at, subscriptionOf(work).id);
}

/** Returns whether a subscription has ended. */
export function isOver({ status }: SandboxSubscription): boolean {
  return status === 'canceled';
}

/** Throws `refused` for a subscription that has ended. */
export function assertNotOver(subscription: SandboxSubscription): void {
  if (isOver(subscription)) throw refuse('The subscription has ended. Start a new one.');
}

/** Cancels a subscription at once. Its open invoices stay, but they are not collected any more. */
export function cancelAtOnce(work: Work, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  if (isOver(subscription)) return;
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

/**
 * Changes the plan: `now` collects the difference at once, `now_unprorated` keeps the period, and `period_end` replaces a
 * pending change. A trial costs nothing, so there is no difference.
 */
export function changePlan(work: Work, price: PlanPrice, when: ChangeTime, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  assertNotOver(subscription);
  if (subscription.price.currency !== price.currency) {
    throw refuse('The currency of a subscription cannot change. Start a new subscription for another currency.');
  }
  if (subscription.status !== 'active' && subscription.status !== 'trialing') {
    throw refuse('A payment is overdue. Pay the open invoice before you change the plan.');
  }
  if (when === 'period_end') {
    if (subscription.cancelAtPeriodEnd) {
      throw refuse('The subscription ends with its period. Resume it before you change the plan.');
    }
    subscription.pendingPrice = price;
  } else {
    if (when === 'now' && subscription.status === 'active') chargeDifference(work, price, at);
    subscription.price = price;
    subscription.pendingPrice = null;
  }
  recordUpdate(work, at);
}

function chargeDifference(work: Work, price: PlanPrice, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  const charge = chargeOfChange(subscription, price, at);
  const invoice = draftInvoice(work, charge, at);
  finalizeInvoice(work, invoice, at);
  const refusal = collect(work, invoice, at);
  if (refusal !== undefined) throw new PaymentProviderError('declined', refusal);
  subscription.periodCharge = { amount: charge.net, startsAt: at };
  if (charge.isSamePeriod) return;
  subscription.anchorAt = at;
  subscription.periodInterval = price.interval;
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
interface Due {
  readonly at: Timestamp;
  perform(work: Work, at: Timestamp): void;
}

/** Returns the next automatic change. Things of the same time are done in the order of this list. */
function firstDue({ account: { subscription }, invoices }: Work): Due | undefined {
  if (subscription === null || isOver(subscription)) return undefined;
  const retries = invoices.map((invoice) => ({
    at: invoice.nextAttemptAt,
    perform: (work: Work, at: Timestamp) => retryBySchedule(work, invoice, at),
  }));
  const all = [
    { at: subscription.trialReminderAt, perform: remindOfTrialEnd },
    { at: subscription.discount?.endsAt, perform: endDiscount },
    ...retries,
    { at: subscription.currentPeriodEndsAt, perform: endPeriod },
  ];
  const dues = all.flatMap(({ at, perform }): Due[] => (at == null ? [] : [{ at, perform }]));
  return dues.reduce<Due | undefined>(
    (first, due) => (first === undefined || due.at < first.at ? due : first),
    undefined,
  );
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
  const { price, anchorAt, startsAt, endsAt } = nextPeriod(subscription);
  subscription.price = price;
  subscription.pendingPrice = null;
  subscription.anchorAt = anchorAt;
  subscription.periodInterval = price.interval;
  subscription.currentPeriodStartsAt = startsAt;
  subscription.currentPeriodEndsAt = endsAt;
  subscription.trialReminderAt = null;
  if (status === 'unpaid') {
    // An unpaid subscription is not charged again until its debt is settled. The draft stays visible to the operator.
    draftInvoice(work, chargeOfPeriod(subscription, price, at, endsAt), at);
    setPeriodCharge(subscription, { subtotal: 0, discount: 0 });
  } else {
    const { invoice, refusal } = chargePeriod(work, at, 'later');
    if (refusal !== undefined) planRetry(invoice, at);
    subscription.status = refusal === undefined ? 'active' : 'past_due';
  }
  recordUpdate(work, at);
}

function retryBySchedule(work: Work, invoice: SandboxInvoice, at: Timestamp): void {
  if (collect(work, invoice, at) === undefined || planRetry(invoice, at)) return;
  subscriptionOf(work).status = 'unpaid';
  recordUpdate(work, at);
}
