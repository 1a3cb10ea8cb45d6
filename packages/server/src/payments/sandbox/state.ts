import type { BillingInterval, SubscriptionStatus } from '../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../lib/clock.ts';
import {
  type CustomerDetails,
  type Discount,
  type NewCheckout,
  PaymentProviderError,
  type PlanPrice,
  type ProviderInvoice,
} from '../provider.ts';
import type { TaxLocation, TaxRules } from '../tax/taxes.ts';
import type { TaxRate } from './amounts.ts';
import type { Card } from './cards.ts';

// The stored state of the sandbox. Only `Account.details` is personal data; card numbers are not stored.

/** What a customer was charged for the rest of a period, after the discount and without tax. */
export interface PeriodCharge {
  /** In minor units. A plan change credits its unused part. */
  readonly amount: number;
  /** The start of the time that it pays for. That time ends with the period. */
  readonly startsAt: Timestamp;
  /** Its taxes. A credit gives the same ones back, also after the customer has moved. */
  readonly rates: readonly TaxRate[];
}

/** A subscription. Its fields have the meanings of `ProviderSubscription`. */
export interface SandboxSubscription {
  readonly id: string;
  readonly reference: string;
  readonly createdAt: Timestamp;
  status: SubscriptionStatus;
  price: PlanPrice;
  /**
   * The time from which periods are counted: they end on its day of the month, or on the last day of a shorter month.
   */
  anchorAt: Timestamp;
  currentPeriodStartsAt: Timestamp;
  currentPeriodEndsAt: Timestamp;
  /** The length of the current period. It differs from the price's after a change that is not prorated. */
  periodInterval: BillingInterval;
  periodCharge: PeriodCharge;
  /**
   * The net total of the current period's invoices: after discounts, without tax, and without voided, uncollectible and
   * refunded amounts. The credit of a plan change is at most this amount.
   */
  periodNet: number;
  trialEndsAt: Timestamp | null;
  /** When the event that the trial ends soon is due; null once it was sent, and without a trial. */
  trialReminderAt: Timestamp | null;
  discount: Discount | null;
  cancelAtPeriodEnd: boolean;
  canceledAt: Timestamp | null;
  /** The price after the end of the period. */
  pendingPrice: PlanPrice | null;
}

/** A customer with its only subscription. It is locked and written as a whole. */
export interface Account {
  readonly customerId: string;
  /** Null until a card is given: a trial and a customer without a subscription need no card. */
  card: Card | null;
  /** The credit for future invoices in minor units, by currency. */
  balance: Record<string, number>;
  /** The recipient of the invoices. The address determines the taxes. */
  details: CustomerDetails | null;
  /** Null for a customer who only gets single invoices. */
  readonly subscription: SandboxSubscription | null;
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** An invoice without the URL of its page. */
export type SandboxInvoice = Mutable<Omit<ProviderInvoice, 'paymentUrl'>> & {
  /** The number of scheduled attempts, including the first one. */
  scheduledAttempts: number;
  /** The days from finalizing to the due date. */
  readonly dueInDays: number;
};

/** The terms of a checkout, without the customer. */
export type CheckoutTerms = Omit<NewCheckout, 'customer' | 'reference'>;

/** The event types of the sandbox; they are named like Stripe's. */
export type EventType =
  | 'checkout.session.completed'
  | 'checkout.session.expired'
  | 'customer.subscription.created'
  | 'customer.subscription.updated'
  | 'customer.subscription.trial_will_end'
  | 'customer.subscription.deleted'
  | 'customer.updated'
  | InvoiceEventType;

type InvoiceEventType =
  | 'invoice.created'
  | 'invoice.deleted'
  | 'invoice.finalized'
  | 'invoice.paid'
  | 'invoice.payment_failed'
  | 'invoice.voided'
  | 'invoice.marked_uncollectible'
  | 'charge.refunded'
  | 'credit_note.created';

/** An event to be sent. */
export interface NewEvent {
  readonly type: EventType;
  readonly objectId: string;
  /** The time of the event, by the sandbox's clock. */
  readonly at: Timestamp;
  readonly subscriptionId: string | null;
  readonly reference: string | null;
  readonly invoiceId: string | null;
}

/** A unit of work: a locked account, its invoices and its new events, which the transaction writes at its end. */
export interface Work {
  readonly account: Account;
  /** The open invoices, the invoice that the work is about, and the invoices that this transaction created or settled. */
  readonly invoices: SandboxInvoice[];
  readonly events: NewEvent[];
  readonly taxRules: TaxRules;
}

/** Returns the subscription of an account. Throws `not_found` for an account without one. */
export function subscriptionOf({ account: { subscription } }: Pick<Work, 'account'>): SandboxSubscription {
  if (subscription !== null) return subscription;
  throw new PaymentProviderError('not_found', 'The customer has no subscription. Start one.');
}

/** Returns where a customer is taxed; null without billing details. */
export function locationOf(details: CustomerDetails | null): TaxLocation | null {
  return details && { country: details.address?.country ?? null, taxId: details.taxId };
}

/** Records an event about an account's subscription or about its customer. */
export function recordEvent(
  { account, events }: Pick<Work, 'account' | 'events'>,
  type: Exclude<EventType, InvoiceEventType>,
  objectId: string,
  at: Timestamp,
): void {
  const { id = null, reference = null } = account.subscription ?? {};
  events.push({ type, objectId, at, subscriptionId: id, reference, invoiceId: null });
}

/** Records an event about an invoice, or about an object of it: its credit note. */
export function recordInvoiceEvent(
  { account, events }: Pick<Work, 'account' | 'events'>,
  type: InvoiceEventType,
  invoice: Pick<SandboxInvoice, 'id' | 'subscriptionId'>,
  at: Timestamp,
  objectId: string = invoice.id,
): void {
  const { id: invoiceId, subscriptionId } = invoice;
  const reference = subscriptionId === null ? null : (account.subscription?.reference ?? null);
  events.push({ type, objectId, at, subscriptionId, reference, invoiceId });
}
