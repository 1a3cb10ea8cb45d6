import type { Timestamp } from '../../lib/clock.ts';
import {
  type CustomerDetails,
  type NewCheckout,
  PaymentProviderError,
  type PlanPrice,
  type ProviderInvoice,
  type ProviderSubscription,
} from '../provider.ts';
import type { TaxRules } from '../tax/taxes.ts';
import type { Card } from './cards.ts';

// The stored state of the sandbox. Only `Account.details` is personal data; card numbers are not stored.

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** A subscription. Its first fields have the meanings of `ProviderSubscription`. */
export type SandboxSubscription = Mutable<
  Omit<
    ProviderSubscription,
    'customerId' | 'planCode' | 'interval' | 'currency' | 'amount' | 'hasPaymentMethod' | 'pendingChange'
  >
> & {
  price: PlanPrice;
  /**
   * The time from which periods are counted: they end on its day of the month, or on the last day of a shorter month.
   */
  anchorAt: Timestamp;
  /**
   * What was paid for the time since `startsAt`, and not given back: after the discount, without tax. A plan change
   * credits the unused part of it.
   */
  periodCharge: { readonly amount: number; readonly startsAt: Timestamp };
  /** When the event that the trial ends soon is due; null once it was sent, and without a trial. */
  trialReminderAt: Timestamp | null;
  /** The price after the end of the period. */
  pendingPrice: PlanPrice | null;
};

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

/** An invoice without the URL of its page. */
export type SandboxInvoice = Mutable<Omit<ProviderInvoice, 'paymentUrl'>> & {
  /** The days from finalizing to the due date. */
  readonly dueInDays: number;
};

/** The terms of a checkout, without the customer. */
export type CheckoutTerms = Omit<NewCheckout, 'customer' | 'reference'>;

/** An event to be sent. Its types are named like Stripe's. */
export interface NewEvent {
  readonly type:
    | `checkout.session.${'completed' | 'expired'}`
    | `customer.subscription.${'created' | 'updated' | 'trial_will_end' | 'deleted'}`
    | 'customer.updated'
    | `invoice.${'created' | 'deleted' | 'finalized' | 'paid' | 'payment_failed' | 'voided' | 'marked_uncollectible'}`
    | 'charge.refunded'
    | 'credit_note.created';
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

/** Records an event about an account: its subscription `objectId`, its customer, or an invoice with its credit note. */
export function recordEvent(
  { account: { subscription }, events }: Work,
  type: NewEvent['type'],
  at: Timestamp,
  objectId: string,
  invoice?: Pick<SandboxInvoice, 'id' | 'subscriptionId'>,
): void {
  const subscriptionId = invoice === undefined ? (subscription?.id ?? null) : invoice.subscriptionId;
  const reference = subscriptionId === null ? null : (subscription?.reference ?? null);
  events.push({ type, objectId, at, subscriptionId, reference, invoiceId: invoice?.id ?? null });
}
