import type { SubscriptionStatus } from '../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../lib/clock.ts';
import type { NewCheckout, PlanPrice, ProviderInvoice } from '../provider.ts';
import type { Card } from './cards.ts';

// The stored state of the sandbox. It has no names, addresses or card numbers, so it is not personal data.

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
  trialEndsAt: Timestamp | null;
  cancelAtPeriodEnd: boolean;
  canceledAt: Timestamp | null;
  /** The price after the end of the period. */
  pendingPrice: PlanPrice | null;
}

/** A customer with its only subscription. It is locked and written as a whole. */
export interface Account {
  readonly customerId: string;
  card: Card;
  /** The credit for future invoices in minor units, by currency. */
  balance: Record<string, number>;
  readonly subscription: SandboxSubscription;
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** An invoice without the URL of its page. */
export type SandboxInvoice = Mutable<Omit<ProviderInvoice, 'paymentUrl'>> & {
  /** The number of scheduled attempts, including the first one. */
  scheduledAttempts: number;
};

/** The terms of a checkout, without the customer. */
export type CheckoutTerms = Omit<NewCheckout, 'customer' | 'reference'>;

/** The event types of the sandbox; they are named like Stripe's. */
export type EventType =
  | 'checkout.session.completed'
  | 'checkout.session.expired'
  | 'customer.subscription.created'
  | 'customer.subscription.updated'
  | 'customer.subscription.deleted'
  | 'customer.updated'
  | 'invoice.finalized'
  | 'invoice.paid'
  | 'invoice.payment_failed'
  | 'invoice.voided'
  | 'invoice.marked_uncollectible';

/** An event to be sent. */
export interface NewEvent {
  readonly type: EventType;
  readonly objectId: string;
  /** The time of the event, by the sandbox's clock. */
  readonly at: Timestamp;
  readonly subscriptionId: string | null;
  readonly reference: string | null;
}

/** A unit of work: a locked account, its invoices and its new events, which the transaction writes at its end. */
export interface Work {
  readonly account: Account;
  /** The open invoices, and the invoices that this transaction created or settled. */
  readonly invoices: SandboxInvoice[];
  readonly events: NewEvent[];
}

/** Records an event about an account's subscription. */
export function recordEvent(work: Work, type: EventType, objectId: string, at: Timestamp): void {
  const { id, reference } = work.account.subscription;
  work.events.push({ type, objectId, at, subscriptionId: id, reference });
}
