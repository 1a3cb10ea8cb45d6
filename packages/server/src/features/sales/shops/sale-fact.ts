import type { Timestamp } from '../../../lib/clock.ts';

/** What a shop reports, in the service's own words. `custom` shops send these names. */
export const saleEventTypes = [
  'sale.completed',
  'subscription.renewed',
  'subscription.changed',
  'subscription.ended',
  'sale.refunded',
  'sale.disputed',
] as const;
export type SaleEventType = (typeof saleEventTypes)[number];

/** A quantity of something that the shop sells: a price, a variant or a product, by the shop's own id. */
export interface SoldItem {
  readonly externalId: string;
  readonly quantity: number;
}

/** Who bought, as far as the shop says it. */
export interface Buyer {
  /** The shop's id of the customer. */
  readonly reference: string | null;
  readonly name: string | null;
  readonly email: string | null;
}

/**
 * What can be known of a sale. A report contains the fields that it is about, and each field keeps its latest value, so
 * the order in which reports arrive does not matter.
 */
export interface SaleFields {
  readonly kind: 'subscription' | 'one_time';
  /** When the buyer bought. */
  readonly startedAt: Timestamp;
  readonly buyer: Buyer;
  readonly items: readonly SoldItem[];
  /** `pending`: bought and not paid, so nothing is due yet. `ended`: the shop grants nothing after `endsAt`. */
  readonly state: 'pending' | 'active' | 'past_due' | 'paused' | 'ended';
  /** When the period began that is paid; a refund of an earlier payment changes nothing. */
  readonly paidSince: Timestamp | null;
  /** The end of the period that is paid; null for what is bought for ever. */
  readonly paidUntil: Timestamp | null;
  /** When a subscription ends or has ended, if that is known. */
  readonly endsAt: Timestamp | null;
  /** Since when a payment is missing; null while none is. */
  readonly pastDueSince: Timestamp | null;
  /** `paymentAt`: when the payment was made that was given back; null if the shop does not say it. */
  readonly refund: { readonly amount: 'none' | 'partial' | 'full'; readonly paymentAt: Timestamp | null };
  /** `open`: the bank has taken the money until somebody decides. */
  readonly dispute: 'none' | 'open' | 'lost';
  /** The shop's id of the checkout, which the buyer's browser carries to the purchase page. */
  readonly checkoutId: string;
}

/** A payment that a report is about, by the shop's own id of it. */
export interface PaymentReference {
  readonly id: string;
  /** When it was made; if it was made in advance, when its period began. Null if the report does not say it. */
  readonly at: Timestamp | null;
  /** A time at which it had been made already; it counts while `at` is unknown. */
  readonly notAfter?: Timestamp | null;
}

/** A report of a shop about one sale. */
export interface SaleFact {
  readonly type: SaleEventType;
  /** The shop's id of the subscription or of the order: the same in every report about it. */
  readonly saleId: string;
  /** When it became true, by the shop's clock. */
  readonly at: Timestamp;
  /**
   * Decides between reports of the same time: 0 for a creation, 1 for a change, 2 for an end, and 3 for an object that was
   * read from the shop's API.
   */
  readonly rank: 0 | 1 | 2 | 3;
  /** The payment that `refund` and `dispute` are about; absent if the shop does not say which one it is. */
  readonly payment?: PaymentReference;
  readonly fields: Partial<SaleFields>;
}
