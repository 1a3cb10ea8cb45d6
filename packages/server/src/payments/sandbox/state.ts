import type { SubscriptionStatus } from '../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../lib/clock.ts';
import type { NewCheckout, PlanPrice, ProviderInvoice } from '../provider.ts';
import type { Card } from './cards.ts';

// What the sandbox keeps of a customer and of a checkout. No name, address or card number is among it: nothing here is
// about a person.

/** A subscription; its fields mean what those of `ProviderSubscription` mean. */
export interface SandboxSubscription {
  readonly id: string;
  readonly reference: string;
  readonly createdAt: Timestamp;
  status: SubscriptionStatus;
  price: PlanPrice;
  /** The moment that periods are counted from: its day of the month is theirs, where the month has it. */
  anchorAt: Timestamp;
  currentPeriodStartsAt: Timestamp;
  currentPeriodEndsAt: Timestamp;
  trialEndsAt: Timestamp | null;
  cancelAtPeriodEnd: boolean;
  canceledAt: Timestamp | null;
  /** What it becomes at the end of the period. */
  pendingPrice: PlanPrice | null;
}

/** A customer with its one subscription: what is locked and written as a whole. */
export interface Account {
  readonly customerId: string;
  card: Card;
  /** What future invoices are lowered by, per currency. */
  balance: Record<string, number>;
  readonly subscription: SandboxSubscription;
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** An invoice, without the link to its page. */
export type SandboxInvoice = Mutable<Omit<ProviderInvoice, 'paymentUrl'>> & {
  /** Attempts that were made by the schedule, the first one included. */
  scheduledAttempts: number;
};

/** What a checkout is about, without the customer. */
export type CheckoutTerms = Omit<NewCheckout, 'customer' | 'reference'>;

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

/** Something that happened, to be told. */
export interface NewEvent {
  readonly type: EventType;
  readonly objectId: string;
  /** By the sandbox's clock. */
  readonly at: Timestamp;
  readonly subscriptionId: string | null;
  readonly reference: string | null;
}

/** An account in one transaction's hands: what it changes here is written at the end, together with what it tells. */
export interface Work {
  readonly account: Account;
  /** Those that are open, and those that were made or settled in this transaction. */
  readonly invoices: SandboxInvoice[];
  readonly events: NewEvent[];
}

/** Notes that something happened to an account. */
export function recordEvent(work: Work, type: EventType, objectId: string, at: Timestamp): void {
  const { id, reference } = work.account.subscription;
  work.events.push({ type, objectId, at, subscriptionId: id, reference });
}
