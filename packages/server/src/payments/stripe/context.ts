import { randomUUID } from 'node:crypto';
import type Stripe from 'stripe';
import type { Clock, Timestamp } from '../../lib/clock.ts';
import { toTimestamp } from '../../lib/clock.ts';

export interface StripeContext {
  readonly client: Stripe;
  readonly clock: Clock;
  /** The ids of prices by their lookup keys: neither ever changes. */
  readonly priceIds: Map<string, string>;
}

/** In the metadata of subscriptions: the service's own id of the checkout that they came from. */
export const referenceKey = 'licensing_reference';

/**
 * The idempotency key of a request (https://docs.stripe.com/api/idempotent_requests): with a name the same for every
 * repetition, without one for the repetitions that the library makes by itself.
 */
export function once(name?: string): { readonly idempotencyKey: string } {
  return { idempotencyKey: name === undefined ? randomUUID() : `licensing-${name}` };
}

/** A moment in Stripe's words: Unix seconds. */
export function momentOf(seconds: number): Timestamp {
  return toTimestamp(seconds * 1000);
}

/** A moment that may not be there. */
export function optionalMoment(seconds: number | null | undefined): Timestamp | null {
  return seconds === null || seconds === undefined ? null : momentOf(seconds);
}

/** The id of an object that Stripe gives as a whole or by its id alone. */
export function idOf(object: string | { readonly id: string } | null): string | null {
  return typeof object === 'string' || object === null ? object : object.id;
}
