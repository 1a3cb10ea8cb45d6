import type { Timestamp } from '../../../lib/clock.ts';
import type { SaleFact } from './sale-fact.ts';

/** The shops that a connection can belong to; `custom`: a hand-made shop that sends our own format. */
export const providers = ['stripe', 'paddle', 'lemonsqueezy', 'polar', 'gumroad', 'custom'] as const;
export type Provider = (typeof providers)[number];

/** A request to the address of a connection, as it arrived. */
export interface ReceivedMessage {
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  readonly receivedAt: Timestamp;
}

/** A message whose signature is valid. */
export interface VerifiedMessage {
  /** The shop's id of the message, or a hash of its body; the same id again is the same message. */
  readonly id: string;
  /** The shop's own name of the event. */
  readonly type: string;
  /** The shop's time of the message; null if it does not say one. */
  readonly occurredAt: Timestamp | null;
}

/** An object of a shop that a message is about. */
export interface ObjectReference {
  /** The shop's kind of object, such as `subscription`. */
  readonly kind: string;
  readonly id: string;
}

/** What a message says. */
export interface Reading {
  readonly facts: readonly SaleFact[];
  /** Why a message without facts changes nothing, as a sentence for the vendor; null otherwise. */
  readonly ignoredBecause: string | null;
  /** The objects whose present state the job reads instead, if the connection has an API key. */
  readonly objects: readonly ObjectReference[];
  /**
   * Other ids of a sale: a refund of Stripe names a payment and no subscription. A fact whose `saleId` is such an id
   * belongs to the sale `saleId`, also if the fact was read earlier.
   */
  readonly aliases: readonly { readonly alias: string; readonly saleId: string }[];
}

/** Something that a shop sells, for the choice of an offer. */
export interface ShopOffer {
  readonly externalId: string;
  readonly name: string;
  /** The price in words, such as `49.00 USD per year`; null if the shop does not say it. */
  readonly price: string | null;
}

/** A page of the sales that a shop knows: subscriptions and recent orders. */
export interface SalesPage {
  readonly sales: readonly Reading[];
  /** Where the next page begins; null after the last one. Text that only the shop's own code understands. */
  readonly next: string | null;
  /** How many sales there are, if the shop says it. */
  readonly total: number | null;
}

/** The API of a shop, with the key of one connection. Every method throws `ShopApiError`. */
export interface ShopApi {
  /** Reads the present state of an object. Undefined if the shop does not know it. */
  read(object: ObjectReference): Promise<Reading | undefined>;
  listSales(cursor: string | null): Promise<SalesPage>;
  listOffers(): Promise<readonly ShopOffer[]>;
}

/** What the service knows of a shop. One folder per shop implements it. */
export interface Shop {
  readonly provider: Provider;
  /** Absent: the shop shows the vendor its own secret. Makes the secret of a connection that is created without one. */
  readonly generateSecret?: () => string;
  /** Throws `MessageRefusedError` for a signature that is missing, wrong or too old. */
  verify(message: ReceivedMessage, secret: string): VerifiedMessage;
  /**
   * Absent: the shop signs its messages. Returns what is stored of a message that anybody can have sent: the ids in it. `read`
   * understands the result.
   */
  readonly keepOfUnsigned?: (body: Buffer) => Buffer;
  /**
   * Reads a verified message. Pure. Days in it are days in `timezone`. Throws `MessageUnreadableError` for a body that is
   * not the shop's.
   */
  read(body: Buffer, timezone?: string): Reading;
  /** Null if the shop has no API. */
  readonly api: ((key: string, options: ShopApiOptions) => ShopApi) | null;
  /** The address of a sale in the shop's own dashboard; null if it has none. */
  saleUrl(saleId: string): string | null;
}

/** What the API of a shop needs. */
export interface ShopApiOptions {
  /** Sends requests; tests replace it. Requests go to the shop's own host only. */
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  readonly now: () => Timestamp;
}

/** A message whose signature is missing, wrong or too old. The words are for the vendor. */
export class MessageRefusedError extends Error {
  override readonly name = 'MessageRefusedError';
}

/** A verified message whose body is not in the shop's format. The words are for the vendor. */
export class MessageUnreadableError extends Error {
  override readonly name = 'MessageUnreadableError';
}

/** A request to a shop's API that failed. */
export class ShopApiError extends Error {
  override readonly name = 'ShopApiError';
  /** `refused`: the key is wrong or lacks a permission, so only a person can help. */
  readonly kind: 'refused' | 'busy' | 'unavailable';
  /** After how long the shop accepts the next request; null if it did not say. */
  readonly retryAfterMs: number | null;

  constructor(message: string, kind: ShopApiError['kind'], retryAfterMs: number | null = null) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}
