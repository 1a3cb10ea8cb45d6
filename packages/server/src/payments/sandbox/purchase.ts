import type { Timestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/duration.ts';
import { type CustomerDetails, type Discount, PaymentProviderError, type PlanPrice } from '../provider.ts';
import type { TaxRules } from '../tax/taxes.ts';
import { type Card, refusalOf } from './cards.ts';
import { newSandboxId } from './context.ts';
import { collect, draftInvoice, finalizeInvoice } from './invoices.ts';
import { chargeOfPeriod, periodEnd } from './proration.ts';
import { type Account, recordEvent, type SandboxSubscription, subscriptionOf, type Work } from './state.ts';
import { setPeriodCharge } from './subscription.ts';

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
  const { price, card, details, trialDays, taxRules } = purchase;
  const subscription = newSubscription(purchase, at);
  const account: Account = { customerId: newSandboxId('cus'), card, balance: {}, details, subscription };
  const work: Work = { account, invoices: [], events: [], taxRules };
  recordEvent(work, 'customer.subscription.created', subscription.id, at);
  if (trialDays > 0) {
    const refusal = card === null ? undefined : refusalOf(card, 'checkout');
    if (refusal !== undefined) throw new PaymentProviderError('declined', refusal);
    return work;
  }
  const { currentPeriodEndsAt } = subscription;
  const invoice = draftInvoice(work, chargeOfPeriod(subscription, price, at, currentPeriodEndsAt), at);
  setPeriodCharge(subscription, invoice);
  finalizeInvoice(work, invoice, at);
  const refusal = collect(work, invoice, at, 'checkout');
  if (refusal !== undefined) throw new PaymentProviderError('declined', refusal);
  return work;
}

function newSubscription({ reference, price, trialDays, discount }: Purchase, at: Timestamp): SandboxSubscription {
  return {
    id: newSandboxId('sub'),
    reference,
    createdAt: at,
    status: 'active',
    price,
    anchorAt: at,
    currentPeriodStartsAt: at,
    currentPeriodEndsAt: periodEnd(at, price.interval, at),
    periodInterval: price.interval,
    periodCharge: { amount: 0, startsAt: at, rates: [] },
    periodNet: 0,
    trialEndsAt: null,
    trialReminderAt: null,
    discount,
    cancelAtPeriodEnd: false,
    canceledAt: null,
    pendingPrice: null,
    ...(trialDays > 0 && trialUntil(addDays(at, trialDays), at)),
  };
}

const reminderDays = 3;
/** Stripe's limit. */
const trialMaxDays = 730;

type Trial = Pick<
  SandboxSubscription,
  'status' | 'trialEndsAt' | 'trialReminderAt' | 'anchorAt' | 'currentPeriodEndsAt'
>;

/**
 * Returns the fields of a subscription in its trial. The trial is its current period, and the paid periods are counted
 * from its end. The reminder of a trial that ends sooner than in 3 days is due at once.
 */
function trialUntil(endsAt: Timestamp, at: Timestamp): Trial {
  const reminderAt = addDays(endsAt, -reminderDays);
  return {
    status: 'trialing',
    trialEndsAt: endsAt,
    trialReminderAt: reminderAt < at ? at : reminderAt,
    anchorAt: endsAt,
    currentPeriodEndsAt: endsAt,
  };
}

/** Reminds the customer that the trial ends. */
export function remindOfTrialEnd(work: Work, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  subscription.trialReminderAt = null;
  recordEvent(work, 'customer.subscription.trial_will_end', subscription.id, at);
}

/**
 * Moves the end of a running trial. Has no effect when it is the same. Throws `refused` outside a trial, and for an end
 * that is past or more than 730 days ahead.
 */
export function extendTrial(work: Work, endsAt: Timestamp, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  if (subscription.status !== 'trialing') {
    throw new PaymentProviderError(
      'refused',
      'The subscription is not in a trial, so its trial cannot be extended. Give a coupon instead.',
    );
  }
  if (endsAt === subscription.trialEndsAt) return;
  if (endsAt <= at || endsAt > addDays(at, trialMaxDays)) {
    throw new PaymentProviderError('refused', `A trial must end in the future, at most ${trialMaxDays} days from now.`);
  }
  Object.assign(subscription, trialUntil(endsAt, at));
  recordEvent(work, 'customer.subscription.updated', subscription.id, at);
}
